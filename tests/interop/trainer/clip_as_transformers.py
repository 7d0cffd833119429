"""Our CLIP beside transformers': random encoders of pictures and of text that transformers saved, with and without projection and of
either activation, give the same outputs and the same gradient of every weight; and pictures are resized, cut and normed as
CLIPImageProcessor does it, and as Wan's own program does.

clip_as_transformers.py CLIP_TOOL
"""
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
import torch
from PIL import Image
from safetensors.torch import load_file, save_file
from transformers import (
    CLIPConfig, CLIPImageProcessorPil, CLIPModel, CLIPTextConfig, CLIPTextModel, CLIPTextModelWithProjection, CLIPVisionConfig,
    CLIPVisionModel, CLIPVisionModelWithProjection,
)  # fmt: skip

tool = sys.argv[1]
folder = Path(tempfile.mkdtemp())
torch.manual_seed(0)
torch.set_num_threads(1)  # nets this small wait for threads longer than they compute
failures = []

TOWER = {"hidden_size": 32, "intermediate_size": 72, "num_hidden_layers": 3, "num_attention_heads": 4, "projection_dim": 24}
WORDS, PLACES = 50, 11


def vision_config(activation):
    return CLIPVisionConfig(**TOWER, image_size=28, patch_size=7, hidden_act=activation)


def text_config(activation):
    return CLIPTextConfig(**TOWER, vocab_size=WORDS, max_position_embeddings=PLACES, hidden_act=activation, bos_token_id=WORDS - 2,
                          eos_token_id=WORDS - 1, pad_token_id=0)  # fmt: skip


def lively(model):
    """Defaults hide mistakes: unit gains, zero biases."""
    for key, weight in model.named_parameters():
        torch.nn.init.normal_(weight, std=0.1 if weight.ndim < 2 or "embedding.weight" in key else weight[0].numel() ** -0.5)
        if "norm" in key and key.endswith("weight"):
            weight.data += 1
    return model


def ids():
    """Texts of several lengths, padded with 0 and with the end of text."""
    rows = torch.randint(1, WORDS - 2, (4, PLACES))
    rows[:, 0] = WORDS - 2
    for row, (length, padding) in zip(rows, ((11, 0), (5, 0), (5, WORDS - 1), (2, WORDS - 1))):
        row[length:] = padding
        row[length - 1] = WORDS - 1
    return rows


def outputs_of(model, given):
    """Of a model with projection, or without."""
    pooled = []
    tower = getattr(model, "vision_model", None) or getattr(model, "text_model", None) or model
    tower.register_forward_hook(lambda module, args, out: pooled.append(out.pooler_output))
    out = model(given, output_hidden_states=True)
    assert len(out.hidden_states) == TOWER["num_hidden_layers"] + 1
    found = {"last": out.last_hidden_state, "penultimate": out.hidden_states[-2], "pooled": pooled[0]}
    embeddings = [getattr(out, key) for key in ("image_embeds", "text_embeds") if key in out]
    return {**found, "projected": embeddings[0]} if embeddings else found


def largest(a, b):
    assert a.shape == b.shape, (a.shape, b.shape)
    return ((a - b).abs().max() / b.abs().max()).item()


def published(key, kind):
    """transformers 5 saves an encoder without projection without the encoder's own name."""
    return key if key.startswith((f"{kind}_model.", "visual_projection.", "text_projection.")) else f"{kind}_model.{key}"


def compare(name, kind, model, given, path=None):
    outputs = outputs_of(model, given)
    gradients = {f"gradient.{key}": torch.randn(value.shape) for key, value in outputs.items()}
    sum((value * gradients[f"gradient.{key}"]).sum() for key, value in outputs.items()).backward()
    theirs = {published(key, kind): weight.grad for key, weight in model.named_parameters()}
    if path is None:
        path = folder / name
        model.save_pretrained(path)
    save_file({"input": given, **gradients}, folder / "in.safetensors")
    subprocess.run([tool, kind, path, folder / "in.safetensors", folder / "out.safetensors"], check=True)
    ours = load_file(folder / "out.safetensors")
    off = {key: largest(ours.pop(key), value.detach()) for key, value in outputs.items()}
    assert ours.keys() == theirs.keys(), ours.keys() ^ theirs.keys()
    # softmax does not change with the bias of keys, whose gradient is rounding on both sides
    for key in [key for key in theirs if key.endswith("k_proj.bias")]:
        scale = theirs[key.replace("k_proj", "v_proj")].norm()
        assert max(ours.pop(key).norm(), theirs.pop(key).norm()) < 1e-5 * scale, key
    assert all(gradient.any() for gradient in theirs.values())
    errors = {key: ((ours[key] - gradient).norm() / gradient.norm()).item() for key, gradient in theirs.items()}
    worst = max(errors, key=errors.get)
    print(f"{name}: {', '.join(f'{key} {value:.1e}' for key, value in off.items())} (at most 2e-05), {len(errors)} gradients "
          f"{errors[worst]:.1e} (at most 1e-04), the worst of {worst}")  # fmt: skip
    if not (max(off.values()) <= 2e-5 and errors[worst] <= 1e-4):
        failures.append(name)


def encoders():
    pictures, texts = torch.randn(2, 3, 28, 28), ids()
    for activation in ("quick_gelu", "gelu"):
        vision, text = vision_config(activation), text_config(activation)
        compare(f"vision with projection, {activation}", "vision", lively(CLIPVisionModelWithProjection(vision)), pictures)
        compare(f"vision, {activation}", "vision", lively(CLIPVisionModel(vision)), pictures)
        compare(f"text with projection, {activation}", "text", lively(CLIPTextModelWithProjection(text)), texts)
        compare(f"text, {activation}", "text", lively(CLIPTextModel(text)), texts)
    # a whole model, whose parts have other activations, and its parts as models of their own
    whole = lively(CLIPModel(CLIPConfig(
        text_config=text_config("quick_gelu").to_dict(), vision_config=vision_config("gelu").to_dict(), projection_dim=24)))  # fmt: skip
    whole.save_pretrained(folder / "whole")
    for kind, peer, config, given in (("vision", CLIPVisionModelWithProjection, vision_config("gelu"), pictures),
                                      ("text", CLIPTextModelWithProjection, text_config("quick_gelu"), texts)):  # fmt: skip
        part = peer(config)
        part.load_state_dict({key: value for key, value in whole.state_dict().items() if key in part.state_dict()})
        compare(f"{kind} of a whole model", kind, part, given, folder / "whole")


def scenes():
    """Smooth shades with sharp edges and noise, larger and smaller than the square, upright and wide."""
    generator = numpy.random.default_rng(0)
    for height, width in ((480, 832), (1280, 720), (300, 301), (90, 130), (224, 224)):
        rows, columns = numpy.mgrid[0:height, 0:width]
        shades = 127 + 100 * numpy.sin(rows / 17 + numpy.arange(3)[:, None, None]) * numpy.cos(columns / 23)
        shades[:, height // 4 : height // 2, width // 3 : width // 2] = [[[250]], [[5]], [[128]]]
        yield numpy.clip(shades + generator.normal(0, 12, shades.shape), 0, 255).astype(numpy.uint8)


def prepared(pictures, *fit):
    save_file({"input": pictures.contiguous()}, folder / "in.safetensors")
    subprocess.run([tool, "pictures", "224", *fit, folder / "in.safetensors", folder / "out.safetensors"], check=True)
    return load_file(folder / "out.safetensors")["output"]


def pictures():
    """Pillow's weights are whole numbers, so that now and then it rounds the other way: by one level behind either of two passes. We
    go across a picture first, as Pillow did in all versions that models were trained with; 13 goes down tall pictures first."""
    deviation = torch.tensor([0.26862954, 0.26130258, 0.27577711]).view(3, 1, 1)
    mean = torch.tensor([0.48145466, 0.4578275, 0.40821073]).view(3, 1, 1)
    cutting = CLIPImageProcessorPil()
    squeezing = CLIPImageProcessorPil(size={"height": 224, "width": 224}, do_center_crop=False)
    for scene in scenes():
        size = f"{scene.shape[1]} × {scene.shape[2]}"
        given = torch.from_numpy(scene)[None]
        picture = Image.fromarray(scene.transpose(1, 2, 0))
        across = picture.resize((224, picture.height), Image.Resampling.BICUBIC)
        for name, fit, processor, image, most, usual in (
            ("cut", "crop", cutting, picture, 1, 1e-3), ("squeezed across first", "squeeze", squeezing, across, 1, 1e-3),
            ("squeezed", "squeeze", squeezing, picture, 2, 0.25),
        ):  # fmt: skip
            expected = processor(image, return_tensors="pt")["pixel_values"]
            levels = (prepared(given, fit, "antialiased") - expected).abs() * deviation * 255
            print(f"{size}, {name}: {levels.max():.2f} of 255 levels at most ({most}), {levels.mean():.1e} in the mean ({usual:.0e})")
            if not (levels.max() < most + 0.5 and levels.mean() <= usual):
                failures.append(f"{size}, {name}")
        bare = torch.nn.functional.interpolate(given / 255, size=(224, 224), mode="bicubic", align_corners=False)
        off = (prepared(given / 255, "squeeze", "bare") - (bare - mean) / deviation).abs().max().item()
        print(f"{size}, as Wan's program: {off:.1e} (at most 1e-05)")
        if not off <= 1e-5:
            failures.append(f"{size}, as Wan's program")


encoders()
pictures()
sys.exit(f"not as transformers: {', '.join(failures)}" if failures else 0)
