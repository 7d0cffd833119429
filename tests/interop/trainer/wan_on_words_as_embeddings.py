"""A run that begins with a random published Wan and reads its captions through a random UMT5, all native, beside the same run on
embeddings that transformers' UMT5EncoderModel made of Python sentencepiece's pieces and that stand in the data: the losses
of three steps are equal, and so is the clip that a prompt gives.

wan_on_words_as_embeddings.py DAILIES_TRAIN
"""
import io
import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import numpy
import torch
from diffusers import AutoencoderKLWan
from small_t5 import random_encoder, sentences, train_tokenizer
from small_wan import PLACES, SIZES, random_wan

trainer = sys.argv[1]
folder = Path(tempfile.mkdtemp())
torch.manual_seed(0)
torch.set_grad_enabled(False)

encoder_folder = folder / "pipeline"
(encoder_folder / "tokenizer").mkdir(parents=True)
processor = train_tokenizer(encoder_folder / "tokenizer/spiece.model")
# spare rows, as the published table has
peer = random_encoder("umt5", processor.get_piece_size() + 40, width=SIZES["text_dim"])
peer.save_pretrained(encoder_folder / "text_encoder")
random_wan().save_pretrained(encoder_folder / "transformer")
vae = AutoencoderKLWan(base_dim=8, z_dim=16)
for weight in vae.parameters():
    torch.nn.init.normal_(weight, std=0.1 if weight.ndim == 1 else weight[0].numel() ** -0.5)
vae.save_pretrained(encoder_folder / "vae")


def embedded(caption):
    ids = torch.tensor([processor.encode(caption)[: PLACES - 1] + [1]])
    return peer(input_ids=ids).last_hidden_state[0]


def array_bytes(tensor):
    data = io.BytesIO()
    numpy.save(data, tensor.numpy())
    return data.getvalue()


captions = sentences()[::150][:6]
with tarfile.open(folder / "clips.tar", "w") as tar:
    for clip, caption in enumerate(captions):
        members = {"latent.npy": array_bytes(torch.randn(16, 3, 8, 12)), "txt": caption.encode(), "text.npy": array_bytes(embedded(caption))}
        for ending, data in members.items():
            member = tarfile.TarInfo(f"{clip}.{ending}")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))

config = {
    "model": {"family": "wan", "width": 64, "depth": 2, "heads": 2, "patch_frames": 1, "patch_size": 2, "mlp_width": 96,
              "activation": "gelu-tanh", "time_scale": 1000, "rope_fps": 0, "text_places": PLACES, "init": str(encoder_folder / "transformer")},
    "diffusion": {"prediction": "velocity", "caption_drop": 0}, "steps": 3,
    "data": {"source": "webdataset", "shards": [str(folder / "clips.tar")], "latents": "latent.npy", "frames": 9, "height": 64, "width": 96,
             "batch_size": 2},
    "tokenizer": {"kind": "wan_vae", "weights": str(encoder_folder / "vae")},
    "optimizer": {"lr": 1e-3, "warmup_steps": 1}, "sampling": {"every": 1000, "steps": 4, "guidance": 1}, "runtime": {"log_every": 1, "device": "cpu"},
}  # fmt: skip
text = {"encoder": "t5", "weights": str(encoder_folder), "width": SIZES["text_dim"]}
PROMPT = "two cats 看 the café"
numpy.save(folder / "prompt.npy", embedded(PROMPT).numpy())


def trained(name, changes, words):
    run = folder / name
    run.mkdir()
    (run / "config.json").write_text(json.dumps(config | changes))
    ended = subprocess.run([trainer, "train", "--config", run / "config.json"], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    events = [json.loads(line) for line in (run / "events.jsonl").read_text().splitlines()]
    losses = {event["step"]: event["values"]["loss"] for event in events if event["type"] == "metrics" and "loss" in event["values"]}
    assert sorted(losses) == [1, 2, 3], losses
    made = folder / f"{name}-sampled"
    ended = subprocess.run([trainer, "sample", "--run-dir", made, "--checkpoint", run / "checkpoints/step-000000003", "--prompt", PROMPT, *words],
                           capture_output=True, text=True)  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    return losses, next((made / "clips").rglob("*.mp4"))


def frames(file):
    import av

    with av.open(str(file)) as video:
        return numpy.stack([frame.to_ndarray(format="rgb24") for frame in video.decode(video=0)]).astype(int)


on_words, clip = trained("words", {"text": text}, [])
on_embeddings, expected = trained("embeddings", {"data": config["data"] | {"text_embeddings": "text.npy"}},
                                  ["--embeddings", folder / "prompt.npy"])  # fmt: skip
off = max(abs(on_words[step] - on_embeddings[step]) / on_embeddings[step] for step in on_words)
apart = numpy.abs(frames(clip) - frames(expected)).mean()
print(f"losses of {len(on_words)} steps: at most {off:.1e} apart; a prompt's clip: {apart:.3f} of 255 on average")
assert off <= 1e-5, (on_words, on_embeddings)
assert frames(clip).std() > 5, "a grey clip proves nothing"
assert apart <= 0.5
# and the words are heard: with other captions the losses are others
with tarfile.open(folder / "clips.tar") as old, tarfile.open(folder / "other.tar", "w") as tar:
    for member in old.getmembers():
        data = old.extractfile(member).read()
        if member.name.endswith(".txt"):
            data = data.decode()[::-1].encode()
            member.size = len(data)
        tar.addfile(member, io.BytesIO(data))
elsewhere, _ = trained("other", {"text": text, "data": config["data"] | {"shards": [str(folder / "other.tar")]}}, [])
changed = max(abs(elsewhere[step] - on_words[step]) / on_words[step] for step in on_words)
print(f"with other captions: {changed:.1e} apart")
assert changed > 1e-4  # ten times what the two ways may differ by
