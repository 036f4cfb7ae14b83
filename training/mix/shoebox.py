"""Rooms by the image method (Allen and Berkley), for training: shoeboxes with a low and a high band, and several places to speak from in each.

    python3 -m training.mix.shoebox --count 1500 --out rooms.npy      float16 [rooms, places, taps] at 16 kHz, or at `--rate-hz`

Images beyond the second order are moved by a few centimetres: real walls are not flat, and exact lattices ring.
"""

import argparse
import math
from pathlib import Path

import numpy
import torch

RATE_HZ = 16000
LONGEST_S = 0.5
SOUND_M_PER_S = 343.0
PLACES = 4
OVERSAMPLING = 2


def draw_room(dice):
    """Size, pressure reflection of each wall (low, high), and positions of the microphone and the speakers."""
    size = torch.tensor([dice.uniform(2.2, 9.0), dice.uniform(2.0, 7.0), dice.uniform(2.2, 4.0)])
    volume = float(size.prod())
    surface = 2 * float(size[0] * size[1] + size[0] * size[2] + size[1] * size[2])
    rt60_s = 0.13 * (0.85 / 0.13) ** dice.uniform()
    absorption = 1 - math.exp(-0.161 * volume / (surface * rt60_s))
    walls = absorption * torch.from_numpy(dice.uniform(0.5, 1.5, 6)).float()
    high = walls * float(dice.uniform(0.9, 2.0))
    reflect = torch.stack([walls, high]).clamp(0.02, 0.97).neg().add(1).sqrt()
    inside = lambda: (0.4 + (size - 0.8) * torch.from_numpy(dice.uniform(size=3)).float()).clamp(min=0.2)
    microphone = inside()
    speakers = torch.stack([inside() for _ in range(PLACES)])
    near = microphone + torch.from_numpy(dice.normal(size=(PLACES, 3))).float() * float(dice.uniform(0.2, 1.2))
    near = torch.minimum(torch.maximum(near, torch.full((3,), 0.2)), size - 0.2)
    is_near = torch.from_numpy(dice.uniform(size=(PLACES, 1)) < 0.5)
    return size, reflect, microphone, torch.where(is_near, near, speakers), min(rt60_s, LONGEST_S)


def respond(size, reflect, microphone, speakers, seconds, generator, rate_hz=RATE_HZ):
    """[places, taps]."""
    device, taps = speakers.device, int(LONGEST_S * rate_hz)
    reach = SOUND_M_PER_S * seconds
    axes = [torch.arange(-n, n + 1, device=device) for n in (int(reach / (2 * float(side))) + 1 for side in size)]
    m = torch.cartesian_prod(*axes)[:, None]
    p = torch.cartesian_prod(*[torch.arange(2, device=device)] * 3)[None]
    first, second = (m - p).abs().reshape(-1, 3), m.abs().expand(-1, 8, -1).reshape(-1, 3)
    image = (1 - 2 * p.reshape(1, 1, 8, 3)) * speakers[:, None, None] + 2 * m[None] * size
    distance = (image - microphone).norm(dim=-1).reshape(len(speakers), -1)
    order = (first + second).sum(-1)
    moved = torch.randn(distance.shape, generator=generator, device=device) * 0.04 * (order > 2)
    distance = (distance + moved).clamp(min=0.1)
    frames = taps * OVERSAMPLING
    position = distance / SOUND_M_PER_S * (rate_hz * OVERSAMPLING)
    whole = position.long()
    part = position - whole
    reached = (whole < frames - 1) & (distance < reach)
    bands = []
    for wall in reflect:
        loss = (first * wall[::2].log() + second * wall[1::2].log()).sum(-1).exp()
        gain = reached * loss / distance
        response = torch.zeros(len(speakers), frames, device=device)
        response.scatter_add_(1, whole.clamp(max=frames - 2), gain * (1 - part))
        response.scatter_add_(1, (whole + 1).clamp(max=frames - 1), gain * part)
        bands.append(torch.fft.rfft(response)[:, : taps // 2 + 1])
    frequency = torch.linspace(0, rate_hz / 2, taps // 2 + 1, device=device)
    high = torch.sigmoid((frequency.clamp(min=10) / 1500).log() * 3)
    spectrum = bands[0] * (1 - high) + bands[1] * high
    spectrum = spectrum * (frequency / (frequency + 40)) * torch.sigmoid((rate_hz / 2 - 100 - frequency) / 40)
    response = torch.fft.irfft(spectrum, taps)
    fade = torch.ones(taps, device=device)
    fade[-taps // 10 :] = torch.linspace(1, 0, taps // 10, device=device)
    response = response * fade
    return response / response.square().sum(-1, keepdim=True).sqrt().clamp(min=1e-6)


def make_rooms(count, seed, device, rate_hz=RATE_HZ):
    """float32 [count, PLACES, taps], each response with energy 1."""
    dice, generator = numpy.random.RandomState(seed), torch.Generator(device=device).manual_seed(seed)
    rooms = []
    for _ in range(count):
        size, reflect, microphone, speakers, seconds = draw_room(dice)
        here = [part.to(device) for part in (size, reflect, microphone, speakers)]
        rooms.append(respond(*here, seconds, generator, rate_hz))
    return torch.stack(rooms)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1500)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--rate-hz", type=int, default=RATE_HZ)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    rooms = make_rooms(options.count, options.seed, device, options.rate_hz).half().cpu().numpy()
    part = options.out.with_suffix(".part.npy")
    numpy.save(part, rooms)
    part.rename(options.out)


if __name__ == "__main__":
    main()
