"""What an adapter is for, from end to end: a small Wan learns moving shapes of three colours and is exported as diffusers
keep models; diffusers load and save it again, as a stranger's. An adapter on that file learns the fourth colour: clips of
its captions, of which none was right, are nearly all right, and those of the other three stay right. The adapter's base is
in 8 bits; beside it, with --layouts, it learns on ranks that divide clips, tokens and matrices.

fourth_colour.py DAILIES_TRAIN [--layouts]
"""
import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import sentencepiece
import torch
from diffusers import WanTransformer3DModel
from safetensors.torch import load_file
from small_t5 import random_encoder

trainer = sys.argv[1]
folder = Path(tempfile.mkdtemp())
torch.manual_seed(0)

OLD, NEW = ["red", "green", "blue"], ["yellow"]
PLACES, WIDTH = 512, 64  # of a caption, as in published models, and of a word
BASE_STEPS, ADAPTER_STEPS = 600, 250


def captions(colours):
    return [f"{colour} {shape} {way}" for colour in colours for shape in ("circle", "square", "triangle") for way in ("right", "left", "down", "up")]


# Words that a base never heard have embeddings like all others, as in a published encoder.
encoder = folder / "encoder"
(encoder / "tokenizer").mkdir(parents=True)
with (encoder / "tokenizer/spiece.model").open("wb") as file:
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(captions(OLD + NEW) * 20), model_writer=file, model_type="word", vocab_size=20, hard_vocab_limit=False,
        pad_id=0, eos_id=1, unk_id=2, bos_id=-1, minloglevel=2,
    )  # fmt: skip
pieces = sentencepiece.SentencePieceProcessor(model_file=str(encoder / "tokenizer/spiece.model")).get_piece_size()
random_encoder("umt5", pieces + 20, width=WIDTH).save_pretrained(encoder / "text_encoder")

MODEL = {"family": "wan", "width": 96, "depth": 2, "heads": 4, "patch_frames": 1, "patch_size": 4, "activation": "gelu-tanh",
         "text_places": PLACES}  # fmt: skip
CLIPS = {"frames": 4, "height": 16, "width": 16, "batch_size": 8}


def train(name, config, ranks=1):
    run = folder / name
    run.mkdir()
    config = {
        "diffusion": {"prediction": "velocity"}, "text": {"encoder": "t5", "weights": str(encoder), "width": WIDTH}, "runtime": {"device": "cpu"}, "optimizer": {"lr": 1e-2},
        "sampling": {"every": 10_000, "steps": 10, "adherence_clips": 0, "prompts": captions(NEW)[:1]}, **config,
    }  # fmt: skip
    (run / "config.json").write_text(json.dumps(config))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    processes = []
    for rank in range(ranks):
        place = {"RANK": rank, "WORLD_SIZE": ranks, "LOCAL_RANK": rank, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
        env = os.environ | ({key: str(value) for key, value in place.items()} if ranks > 1 else {})
        processes.append(subprocess.Popen([trainer, "train", "--config", run / "config.json"], env=env, stdout=subprocess.DEVNULL,
                                          stderr=subprocess.PIPE, text=True))  # fmt: skip
    for process in processes:
        _, said = process.communicate()
        assert process.returncode == 0, said
    return run / f"checkpoints/step-{config['steps']:09}"


def right(checkpoint, colours, name):
    """The part of clips of these colours' captions whose colour is the caption's."""
    made = folder / name
    prompts = folder / f"{name}.txt"
    prompts.write_text("\n".join(captions(colours)[:: len(colours)]))
    subprocess.run([trainer, "sample", "--run-dir", made, "--checkpoint", checkpoint, "--prompts", prompts, "--seeds",
                    "0..1"], check=True, capture_output=True)  # fmt: skip
    notes = [json.loads(note.read_text())["right"] for note in made.rglob("clips/*/*.json")]
    assert len(notes) == 24, len(notes)
    return sum(note["colour"] for note in notes) / len(notes)


base = train("base", {"steps": BASE_STEPS, "model": MODEL, "data": CLIPS | {"colours": OLD}})
before = {"old": right(base, OLD, "base-old"), "new": right(base, NEW, "base-new")}
print(f"base:              old {before['old']:.2f}  new {before['new']:.2f}", flush=True)
assert before["old"] >= 0.9 and before["new"] == 0, before

subprocess.run([trainer, "export", base, folder / "exported", "--format", "diffusers"], check=True, capture_output=True)
stranger = WanTransformer3DModel.from_config(WanTransformer3DModel.load_config(folder / "exported"))
stranger.load_state_dict(load_file(folder / "exported/diffusion_pytorch_model.safetensors"), strict=True)
stranger.save_pretrained(folder / "stranger")

lora = {"rank": 16, "base_precision": "int8"}
layouts = {"8 bits": ({}, lora)}
if "--layouts" in sys.argv:
    layouts |= {
        "whole": ({}, {"rank": 16}),
        "dp 2 x cp 2 x tp 2": ({"dp": 2, "cp": 2, "tp": 2}, lora),
    }
for name, (layout, adapter) in layouts.items():
    ranks = layout.get("dp", 1) * layout.get("cp", 1) * layout.get("tp", 1)
    checkpoint = train(name.replace(" ", "-"), {
        "steps": ADAPTER_STEPS, "model": MODEL | {"init": str(folder / "stranger")}, "data": CLIPS, "lora": adapter,
        "layout": layout, "optimizer": {"lr": 1e-2}}, ranks)  # fmt: skip
    after = {"old": right(checkpoint, OLD, f"{name}-old"), "new": right(checkpoint, NEW, f"{name}-new")}
    print(f"{name + ':':19} old {after['old']:.2f}  new {after['new']:.2f}", flush=True)
    assert after["new"] >= 0.9 and after["old"] >= 0.9, after
