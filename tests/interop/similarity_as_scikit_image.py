"""Our PSNR and SSIM against scikit-image's, the latter as Wang et al. (2004) have it: `similarity_as_scikit_image.py TOOL`."""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from scipy.ndimage import gaussian_filter
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

tool = sys.argv[1]
random = np.random.default_rng(3)


def ours(a, b):
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder, name) for name in "ab"]
        for file, picture in zip(files, (a, b)):
            file.write_bytes(picture.tobytes())
        height, width, _ = a.shape
        output = subprocess.run([tool, str(width), str(height), *files], check=True, stdout=subprocess.PIPE).stdout
    return json.loads(output)


def grey(picture):
    """A grey picture's luma is its grey, whatever the weights: SSIM is compared on those."""
    return np.repeat(picture[..., None], 3, axis=2)


def picture(height, width, softness):
    field = gaussian_filter(random.normal(size=(height, width)), softness)
    return np.clip(128 + 60 * field / field.std(), 0, 255).astype(np.uint8)


for height, width, softness in ((64, 64, 2), (97, 131, 5), (270, 480, 9), (11, 40, 1)):
    original = picture(height, width, softness)
    changes = {
        "noise": original + random.normal(0, 12, original.shape),
        "blur": gaussian_filter(original.astype(float), 1.5),
        "contrast": 128 + (original.astype(float) - 128) * 0.7,
        "brightness": original + 20.0,
        "negative": 255.0 - original,
    }
    for name, changed in changes.items():
        changed = np.clip(changed, 0, 255).astype(np.uint8)
        mine = ours(grey(original), grey(changed))
        psnr = peak_signal_noise_ratio(original, changed, data_range=255)
        ssim = structural_similarity(original, changed, gaussian_weights=True, sigma=1.5, use_sample_covariance=False,
                                     data_range=255)
        print(f"{width:4}x{height:<4} {name:10} PSNR {mine['psnr']:8.4f} {psnr:8.4f}   SSIM {mine['ssim']:8.5f} {ssim:8.5f}")
        assert abs(mine["psnr"] - psnr) < 1e-9, f"{name}: PSNR differs"
        assert abs(mine["ssim"] - ssim) < 1e-4, f"{name}: SSIM differs"

colour = random.integers(0, 256, (50, 70, 3), dtype=np.uint8)
other = np.clip(colour + random.normal(0, 9, colour.shape), 0, 255).astype(np.uint8)
assert abs(ours(colour, other)["psnr"] - peak_signal_noise_ratio(colour, other, data_range=255)) < 1e-9
print("PSNR and SSIM agree with scikit-image's")
