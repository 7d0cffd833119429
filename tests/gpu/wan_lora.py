"""LoRA of rank 32 on Wan 2.1 1.3B with random weights, one clip of 480 × 832 × 33 (9 × 60 × 104 latents, 14,040 tokens) a step:
dailies-train beside diffusers with peft, eager and with torch.compile, on the same GPU, with every block recomputed and without.
bf16, base in bf16, fused AdamW. Prints milliseconds a step (the middle of those behind the warm-up) and GiB at the peak.

wan_lora.py DAILIES_TRAIN FOLDER [--small]     --small: a tiny model on a CPU, to try the script
"""
import json
import statistics
import sys
import time
import traceback
from pathlib import Path

import torch
import torch.nn.functional as F
from diffusers import WanTransformer3DModel
from peft import LoraConfig

sys.path.append(str(Path(__file__).parents[1] / "interop/trainer"))
from small_wan import PLACES, SIZES, write_clips
from trained_runs import memory, step_seconds, train

program, folder, small = sys.argv[1], Path(sys.argv[2]), "--small" in sys.argv
RANK, WARM_UP, STEPS = 32, 5, 16
HEADS, HEAD, MLP, DEPTH, TEXT = (2, 32, 96, 2, 24) if small else (12, 128, 8960, 30, 4096)
FRAMES, HEIGHT, WIDTH = (3, 8, 12) if small else (9, 60, 104)
device = "cpu" if small else "cuda"
TARGETS = ["to_q", "to_k", "to_v", "to_out.0", "ffn.net.0.proj", "ffn.net.2"]


def save_random_wan(base):
    torch.manual_seed(0)
    with torch.device(device):
        model = WanTransformer3DModel(**{**SIZES, "num_attention_heads": HEADS, "attention_head_dim": HEAD, "text_dim": TEXT,
                                         "ffn_dim": MLP, "num_layers": DEPTH})  # fmt: skip
    model.to(torch.bfloat16).save_pretrained(base)


def finish():
    if device == "cuda":
        torch.cuda.synchronize()


def report(name, seconds, peak, planned=None):
    plan = f", planned {planned:.1f}" if planned is not None else ""
    print(f"{name:40}{1e3 * seconds:10.1f} ms a step, {peak:6.1f} GiB{plan}", flush=True)


def ours(name, base, changes):
    config = {
        "steps": STEPS,
        "model": {"family": "wan", "width": HEADS * HEAD, "depth": DEPTH, "heads": HEADS, "patch_frames": 1, "patch_size": 2,
                  "mlp_width": MLP, "activation": "gelu-tanh", "time_scale": 1000, "rope_fps": 0, "text_places": PLACES,
                  "init": str(base), "recompute": changes["recompute"]},
        "diffusion": {"prediction": "velocity"},
        "data": {"source": "webdataset", "shards": [str(folder / "0.tar")], "latents": "latent.npy",
                 "text_embeddings": "text.npy", "frames": FRAMES, "height": HEIGHT, "width": WIDTH, "batch_size": 1},
        "optimizer": {"lr": 1e-5, "ema_decay": 0}, "lora": {"rank": RANK, **changes.get("lora", {})},
        "sampling": {"every": 1000, "steps": 1}, "checkpoint": {"every": 1000}, "validation": {"every": 0},
        "runtime": {"device": device, "precision": "fp32" if small else "bf16", "log_every": 1, **changes.get("runtime", {})},
    }  # fmt: skip
    start, steps = train(program, folder / name.replace(" ", "-"), config)
    planned, peak = memory(start, steps)
    seconds = step_seconds(steps, WARM_UP)
    report(f"dailies-train, {name}", seconds, peak, planned)
    return seconds


def peer(name, recompute, compiled):
    model = WanTransformer3DModel.from_pretrained(folder / "base", torch_dtype=torch.bfloat16).to(device)
    model.add_adapter(LoraConfig(r=RANK, lora_alpha=RANK, target_modules=TARGETS))
    factors = [weight for weight in model.parameters() if weight.requires_grad]
    for weight in factors:
        weight.data = weight.data.float()
    model.train()
    if recompute:
        model.enable_gradient_checkpointing()
    if compiled:
        model.compile_repeated_blocks(fullgraph=False)
    optimizer = torch.optim.AdamW(factors, lr=1e-5, fused=True)
    clean, text = torch.randn(1, 16, FRAMES, HEIGHT, WIDTH, device=device), torch.randn(1, PLACES, TEXT, device=device)
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    seconds = []
    for _ in range(STEPS):
        finish()
        begin = time.monotonic()
        noise, at = torch.randn_like(clean), torch.rand(1, device=device)
        with torch.autocast(device, torch.bfloat16):
            output = model(hidden_states=torch.lerp(clean, noise, at).bfloat16(), timestep=at * 1000,
                           encoder_hidden_states=text.bfloat16(), return_dict=False)[0]  # fmt: skip
        F.mse_loss(output.float(), noise - clean).backward()
        torch.nn.utils.clip_grad_norm_(factors, 1.0, foreach=True)
        optimizer.step()
        optimizer.zero_grad()
        finish()
        seconds.append(time.monotonic() - begin)
    middle = statistics.median(seconds[WARM_UP:])
    report(f"diffusers and peft, {name}", middle, torch.cuda.max_memory_allocated() / 2**30 if device == "cuda" else 0)
    return middle


folder.mkdir(parents=True, exist_ok=True)
save_random_wan(folder / "base")
write_clips(folder / "0.tar", [77] * 4, (16, FRAMES, HEIGHT, WIDTH), TEXT)
found, status = {}, 0
for recompute in ("full", "none"):
    ways = {
        f"dailies {recompute}": lambda: ours(f"recompute {recompute}", folder / "base", {"recompute": recompute}),
        f"eager {recompute}": lambda: peer(f"eager, recompute {recompute}", recompute == "full", False),
        f"compile {recompute}": lambda: peer(f"torch.compile, recompute {recompute}", recompute == "full", True),
    }
    for name, way in ways.items():
        try:
            found[name] = way()
        except Exception:  # the others are still worth measuring
            traceback.print_exc()
            status = 1
        if device == "cuda":
            torch.cuda.empty_cache()
    for rival in ("eager", "compile"):
        if f"dailies {recompute}" in found and f"{rival} {recompute}" in found:
            ratio = found[f"{rival} {recompute}"] / found[f"dailies {recompute}"]
            print(f"recompute {recompute}: {ratio:.2f} times as fast as diffusers and peft, {rival}", flush=True)
# what each way to fit a smaller card costs beside the base in bf16 with every block recomputed
saving = {
    "int8 base": {"recompute": "full", "lora": {"base_precision": "int8"}},
    "swapped base": {"recompute": "full", "lora": {"blocks_to_swap": DEPTH}},
    "activations offloaded": {"recompute": "offload"},
    "all three": {"recompute": "offload", "lora": {"base_precision": "int8", "blocks_to_swap": DEPTH}},
}
for name, changes in saving.items():
    try:
        found[name] = ours(name, folder / "base", changes)
        print(f"{name}: {found[name] / found['dailies full']:.2f} times a step without", flush=True)
    except Exception:
        traceback.print_exc()
        status = 1
print(json.dumps(found))
sys.exit(status)
