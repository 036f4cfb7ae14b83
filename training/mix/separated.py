"""Stems as htdemucs leaves them: the splitter never gets a true `other`, only htdemucs's estimate of one."""

import torch

from training.mix import augment
from training.networks.stft import istft, power_spectrum, stft

BLOCKS = 8
RIDGE = 1e-3


def lay_out(stems, played):
    """The mixer's output, [count, 14, 2, frames]: seven stems that sum to the input, and the seven as played."""
    return torch.cat([stems, played], 1)


def split_separated(drawn):
    return drawn.chunk(2, 1)


def gains_within(separated, parts):
    """How much of each part is in `separated` [count, 2, frames], second by second: the least squares of it on the parts [count, n, 2, frames],
    within 0 and 1, as gains [count, n, 1, frames]."""
    count, number, _, frames = parts.shape
    block = frames // BLOCKS
    blocks = lambda sound: sound[..., : block * BLOCKS].unflatten(-1, (BLOCKS, block)).transpose(-2, -3).flatten(-2)
    rows, aim = blocks(parts).transpose(1, 2), blocks(separated)
    gram = rows @ rows.transpose(-1, -2)
    floor = RIDGE * gram.diagonal(dim1=-2, dim2=-1).mean(-1) + 1e-6
    gram = gram + floor[..., None, None] * torch.eye(number, device=parts.device)
    gains = torch.linalg.solve(gram, rows @ aim[..., None])[..., 0].clamp(0, 1)
    return torch.nn.functional.interpolate(gains.transpose(1, 2), frames, mode="linear")[:, :, None]


def share_out(sound, parts):
    """Distributes a sound [count, 2, frames] among the parts [count, n, 2, frames] by their power in every bin; a silent part gets nothing."""
    power = power_spectrum(parts).sum(2)
    shares = power / (power.sum(1, keepdim=True) + 1e-9)
    return istft(stft(sound)[:, None] * shares[:, :, None], sound.shape[-1])


def separate(network, stems, backing):
    """Stems that sum to what the network takes for `other` in the song of these [count, 7, 2, frames] and of the `backing` [count, n, 2, frames],
    and the stems as they were played, as `lay_out` lays them. As played, the rest is what is left when the instruments are found.

    What the network lost is taken from the stems. What it made of them that is like none stays with the instruments it lies over: one that plays
    alone should not be taken apart. What is left of the backing, and was made of it, goes to the last stem, the rest."""
    parts = torch.cat([stems, backing], 1)
    with torch.autocast(stems.device.type, torch.bfloat16, enabled=stems.device.type == "cuda"):
        separated = network.other(parts.sum(1))
    left = parts * gains_within(separated, parts)
    left = (left + share_out(separated - left.sum(1), parts))[:, : stems.shape[1] - 1]
    rest = (separated - left.sum(1))[:, None]
    return lay_out(torch.cat([left, rest], 1), torch.cat([stems[:, :-1], rest], 1))


class SeparatedSongs:
    """The latest separated songs; each is drawn several times before it is replaced."""

    def __init__(self, network, slots):
        self.network = network
        self.slots = slots
        self.songs = None
        self.count = 0

    def add(self, stems, backing):
        separated = separate(self.network, stems, backing).half()
        if self.songs is None:
            self.songs = torch.zeros(self.slots, *separated.shape[1:], dtype=torch.float16, device=separated.device)
        self.songs[(self.count + torch.arange(len(separated), device=separated.device)) % self.slots] = separated
        self.count += len(separated)

    def draw(self, count):
        songs = self.songs[torch.randint(min(self.count, self.slots), (count,), device=self.songs.device)].float()
        swap = augment.chance(count, 0.5, songs.device)[:, None, None, None]
        return torch.where(swap, songs.flip(2), songs)
