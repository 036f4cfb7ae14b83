"""Overlap-add that does not wait for the device, unlike torch.istft."""

import torch


def sum_shifted(parts):
    """[..., t, parts, hop], where part k of a piece belongs k hops after its start → [..., (t + parts − 1) · hop]."""
    count = parts.shape[-2]
    shifted = (torch.nn.functional.pad(parts[..., k, :], (0, 0, k, count - 1 - k)) for k in range(count))
    return sum(shifted).flatten(-2)


def overlap_add(spectrum, window, hop, samples):
    """[n, t, bins] complex → [n, samples], the inverse of a centred transform with that window: divided by the sum of the squared windows."""
    size = len(window)
    pieces = torch.fft.irfft(spectrum, size) * window
    total, weight = (sum_shifted(part.unflatten(-1, (-1, hop))) for part in (pieces, window.square().expand(pieces.shape[1:])))
    first = size // 2
    return total[..., first : first + samples] / weight[first : first + samples]
