"""3-D rotary positions as Cosmos has them, plain in PyTorch: what the peers in Python of the step's benchmarks share."""
import torch


def rope(frames, rows, columns, width):
    """Cosines and sines [tokens, 1, width] of a head's channels: the rest of them turn with time, a third each with row and column."""
    spatial = 2 * (width // 6)
    temporal = width - 2 * spatial

    def angles(count, axis, shape):
        frequencies = 10000.0 ** (-torch.arange(0, axis, 2, dtype=torch.float64) / axis)
        return torch.outer(torch.arange(count, dtype=torch.float64), frequencies).view(*shape, -1).expand(frames, rows, columns, -1)

    half = torch.cat([angles(frames, temporal, (frames, 1, 1)), angles(rows, spatial, (1, rows, 1)),
                      angles(columns, spatial, (1, 1, columns))], -1)  # fmt: skip
    both = torch.cat([half, half], -1).view(frames * rows * columns, 1, width)
    return both.cos().float(), both.sin().float()


def turned(x, cos, sin):
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat([-second, first], -1) * sin
