"""A Wan of diffusers' with a few random weights, and clips for a run on it: what its peers share."""
import io
import tarfile

import numpy
import torch
from diffusers import WanTransformer3DModel

CHANNELS_LAST = (0, 2, 3, 4, 1)
PLACES = 512  # of a caption

SIZES = dict(patch_size=(1, 2, 2), num_attention_heads=2, attention_head_dim=32, in_channels=16, out_channels=16,
             text_dim=24, freq_dim=256, ffn_dim=96, num_layers=2, cross_attn_norm=True, qk_norm="rms_norm_across_heads",
             eps=1e-6)  # fmt: skip


def random_wan(**others):
    """Defaults hide mistakes: zero tables, unit gains. `others`: sizes of another model."""
    model = WanTransformer3DModel(**SIZES | others)
    for key, weight in model.named_parameters():
        torch.nn.init.normal_(weight, std=0.3 if weight.ndim == 1 else weight[0].numel() ** -0.5)
        if "norm" in key and weight.ndim == 1 and key.endswith("weight"):
            weight.data += 1
    return model


def distance(a, b):
    return ((a.double() - b).norm() / b.norm()).item()


def write_clips(file, lengths, latents=(16, 3, 8, 12), text_width=24):
    """Latents and embeddings of captions of these lengths, as a person has them."""
    with tarfile.open(file, "w") as tar:
        for clip, length in enumerate(lengths):
            for ending, array in (("latent.npy", torch.randn(latents)), ("text.npy", torch.randn(length, text_width))):
                data = io.BytesIO()
                numpy.save(data, array.numpy())
                member = tarfile.TarInfo(f"{clip}.{ending}")
                member.size = len(data.getvalue())
                data.seek(0)
                tar.addfile(member, data)
