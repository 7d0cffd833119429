"""Stage 1 of an animated character, as small as it can be: a UNet learns to draw a square in the color of the reference where
the pose says, on single frames. It knows nothing of Dailies: accelerate logs to TensorBoard, checkpoints are accelerate's, and clips are videos
in the output folder.

    accelerate launch train_stage_1.py --output_dir out --min_snr_gamma 5
"""

import argparse
import os

import av
import torch
import torch.nn.functional as F
from accelerate import Accelerator
from torch import nn

SIZE, COLORS = 32, {"red": (0.9, 0.2, 0.2), "green": (0.2, 0.8, 0.3), "blue": (0.2, 0.4, 0.9)}


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--output_dir", required=True)
    parser.add_argument("--min_snr_gamma", type=float, default=0, help="0: every noise level counts the same")
    parser.add_argument("--learning_rate", type=float, default=2e-3)
    parser.add_argument("--train_batch_size", type=int, default=16)
    parser.add_argument("--max_train_steps", type=int, default=400)
    parser.add_argument("--checkpointing_steps", type=int, default=200)
    parser.add_argument("--validation_steps", type=int, default=200)
    parser.add_argument("--resume_from_checkpoint", help="a folder, or latest")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def frames(places, colors):
    """Squares of 8 pixels at `places` [N, 2], and what they are drawn from [N, 4, S, S]: pose and reference color."""
    grid = torch.arange(SIZE)
    inside = (grid - places[:, :1]).abs().lt(4)[:, None, :] & (grid - places[:, 1:]).abs().lt(4)[:, :, None]
    pose, reference = inside[:, None].float(), colors[:, :, None, None].expand(-1, 3, SIZE, SIZE)
    return pose * reference * 2 - 1, torch.cat([pose, reference], 1) * 2 - 1


class Block(nn.Module):
    def __init__(self, inputs, outputs, embedding):
        super().__init__()
        self.first, self.second = nn.Conv2d(inputs, outputs, 3, padding=1), nn.Conv2d(outputs, outputs, 3, padding=1)
        self.norm = nn.GroupNorm(4, outputs)
        self.time = nn.Linear(embedding, outputs)
        self.skip = nn.Conv2d(inputs, outputs, 1)

    def forward(self, x, time):
        hidden = F.silu(self.norm(self.first(x)) + self.time(time)[:, :, None, None])
        return self.skip(x) + self.second(hidden)


class UNet(nn.Module):
    """Noise of a frame [N, 3, S, S] from the noisy frame, its guide [N, 4, S, S] and the time [N]."""

    def __init__(self, width=24, embedding=64):
        super().__init__()
        self.embedding = embedding
        self.time = nn.Sequential(nn.Linear(embedding, embedding), nn.SiLU(), nn.Linear(embedding, embedding))
        self.enter = Block(7, width, embedding)
        self.down = Block(width, 2 * width, embedding)
        self.middle = Block(2 * width, 2 * width, embedding)
        self.up = Block(3 * width, width, embedding)
        self.leave = nn.Conv2d(width, 3, 3, padding=1)

    def forward(self, noisy, guide, time):
        rates = torch.exp(-torch.arange(self.embedding // 2) / (self.embedding // 2) * 9.2)
        angles = time[:, None] * rates
        embedded = self.time(torch.cat([angles.sin(), angles.cos()], 1))
        high = self.enter(torch.cat([noisy, guide], 1), embedded)
        low = self.middle(self.down(F.avg_pool2d(high, 2), embedded), embedded)
        return self.leave(self.up(torch.cat([F.interpolate(low, scale_factor=2), high], 1), embedded))


def signal_of_schedule():
    """Stable Diffusion's: sqrt(beta) is linear. Returns the cumulative product of 1 - beta [1000]."""
    return torch.cumprod(1 - torch.linspace(0.00085**0.5, 0.012**0.5, 1000) ** 2, 0)


@torch.no_grad()
def sample(model, guide, signal, steps=20):
    """DDIM, without noise on the way."""
    x = torch.randn(len(guide), 3, SIZE, SIZE, generator=torch.Generator().manual_seed(7))
    times = torch.linspace(999, 0, steps).long()
    for time, after in zip(times, [*times[1:], None]):
        noise = model(x, guide, time.expand(len(x)).float())
        clean = ((x - (1 - signal[time]).sqrt() * noise) / signal[time].sqrt()).clamp(-1, 1)
        x = clean if after is None else signal[after].sqrt() * clean + (1 - signal[after]).sqrt() * noise
    return x


def write_clip(path, clip):
    with av.open(path, "w") as file:
        stream = file.add_stream("libx264", rate=8)
        stream.width, stream.height, stream.pix_fmt = 4 * SIZE, 4 * SIZE, "yuv420p"
        for frame in F.interpolate(clip, scale_factor=4):
            pixels = ((frame + 1) * 127.5).clamp(0, 255).byte().permute(1, 2, 0).contiguous().numpy()
            file.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        file.mux(stream.encode(None))


def validate(model, folder, step, signal):
    os.makedirs(folder, exist_ok=True)
    walk = torch.stack([torch.linspace(6, 26, 12), torch.full((12,), 16.0)], 1)
    for name, color in COLORS.items():
        _, guide = frames(walk, torch.tensor(color).expand(12, 3))
        write_clip(os.path.join(folder, f"step_{step:06d}_a {name} square moves right.mp4"), sample(model, guide, signal))


def newest(folder):
    saved = [name for name in os.listdir(folder) if name.startswith("checkpoint-")] if os.path.isdir(folder) else []
    return max(saved, key=lambda name: int(name.split("-")[1]), default=None)


def main():
    args = arguments()
    accelerator = Accelerator(log_with="tensorboard", project_dir=args.output_dir, cpu=not torch.cuda.is_available())
    torch.manual_seed(args.seed)
    model = UNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate)
    model, optimizer = accelerator.prepare(model, optimizer)
    signal = signal_of_schedule()
    accelerator.init_trackers("stage_1", config=vars(args))

    first = 0
    if args.resume_from_checkpoint:
        name = newest(args.output_dir) if args.resume_from_checkpoint == "latest" else args.resume_from_checkpoint
        if name:
            accelerator.load_state(os.path.join(args.output_dir, name))
            first = int(name.split("-")[-1])

    palette = torch.tensor(list(COLORS.values()))
    generator = torch.Generator().manual_seed(args.seed + 1000 * accelerator.process_index + first)
    for step in range(first + 1, args.max_train_steps + 1):
        draw = lambda *shape: torch.rand(*shape, generator=generator)
        places = 4 + draw(args.train_batch_size, 2) * (SIZE - 8)
        color = palette[(draw(args.train_batch_size) * len(palette)).long()]
        clean, guide = frames(places, color)
        time = (draw(args.train_batch_size) * 1000).long()
        noise = torch.randn(clean.shape, generator=generator)
        kept = signal[time][:, None, None, None]
        error = F.mse_loss(model(kept.sqrt() * clean + (1 - kept).sqrt() * noise, guide, time.float()), noise,
                           reduction="none").mean((1, 2, 3))
        snr = signal[time] / (1 - signal[time])
        weight = (snr.clamp(max=args.min_snr_gamma) / snr) if args.min_snr_gamma > 0 else torch.ones_like(snr)
        loss = (weight * error).mean()
        accelerator.backward(loss)
        accelerator.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        accelerator.log({"train_loss": loss.item(), "noise_error": error.mean().item(),
                         "lr": optimizer.param_groups[0]["lr"]}, step=step)
        if step % args.checkpointing_steps == 0 or step == args.max_train_steps:
            accelerator.save_state(os.path.join(args.output_dir, f"checkpoint-{step}"))
        if step % args.validation_steps == 0 and accelerator.is_main_process:
            validate(accelerator.unwrap_model(model), os.path.join(args.output_dir, "validation"), step, signal)
    accelerator.end_training()


if __name__ == "__main__":
    main()
