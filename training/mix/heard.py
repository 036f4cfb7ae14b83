"""What is left of stems when htdemucs has taken their song apart: the splitter never hears a true `other`, but what htdemucs makes of one."""

import torch

from training.mix import augment
from training.networks.stft import istft, power_spectrum, stft

BLOCKS = 8
RIDGE = 1e-3
KEPT = 0.3


def gains_within(heard, parts):
    """How much of each part is in `heard` [count, 2, frames], second by second: the least squares of it on the parts [count, n, 2, frames],
    within 0 and 1, as gains [count, n, 1, frames]."""
    count, number, _, frames = parts.shape
    block = frames // BLOCKS
    blocks = lambda sound: sound[..., : block * BLOCKS].unflatten(-1, (BLOCKS, block)).transpose(-2, -3).flatten(-2)
    rows, aim = blocks(parts).transpose(1, 2), blocks(heard)
    gram = rows @ rows.transpose(-1, -2)
    floor = RIDGE * gram.diagonal(dim1=-2, dim2=-1).mean(-1) + 1e-6
    gram = gram + floor[..., None, None] * torch.eye(number, device=parts.device)
    gains = torch.linalg.solve(gram, rows @ aim[..., None])[..., 0].clamp(0, 1)
    return torch.nn.functional.interpolate(gains.transpose(1, 2), frames, mode="linear")[:, :, None]


def share_out(sound, parts):
    """Splits a sound [count, 2, frames] among the parts [count, n, 2, frames] by their power in every bin; a silent part gets nothing."""
    power = power_spectrum(parts).sum(2)
    shares = power / (power.sum(1, keepdim=True) + 1e-9)
    return istft(stft(sound)[:, None] * shares[:, :, None], sound.shape[-1])


def hear(network, stems, backing):
    """Stems [count, 5, 2, frames] that sum to what the network takes for `other` in their song, and behind them the song: [count, 6, 2, frames].
    `backing` is the rest of the song, [count, n, 2, frames].

    What the network lost is taken from the stems. Of what it made of them that is like none, a third stays with the instruments it lies over: an
    instrument that plays alone should not be taken apart, but the song tells what of it was never played. All else and what is left of the backing
    go to the last stem, the rest."""
    parts = torch.cat([stems, backing], 1)
    song = parts.sum(1)
    with torch.autocast(stems.device.type, torch.bfloat16, enabled=stems.device.type == "cuda"):
        heard = network.other(song)
    left = parts * gains_within(heard, parts)
    left = (left + KEPT * share_out(heard - left.sum(1), parts))[:, : stems.shape[1] - 1]
    return torch.cat([left, (heard - left.sum(1))[:, None], song[:, None]], 1)


class HeardSongs:
    """The latest songs that were heard; each is drawn several times before it is replaced."""

    def __init__(self, network, slots):
        self.network = network
        self.slots = slots
        self.songs = None
        self.count = 0

    def add(self, stems, backing):
        heard = hear(self.network, stems, backing).half()
        if self.songs is None:
            self.songs = torch.zeros(self.slots, *heard.shape[1:], dtype=torch.float16, device=heard.device)
        self.songs[(self.count + torch.arange(len(heard), device=heard.device)) % self.slots] = heard
        self.count += len(heard)

    def draw(self, count):
        songs = self.songs[torch.randint(min(self.count, self.slots), (count,), device=self.songs.device)].float()
        swap = augment.chance(count, 0.5, songs.device)[:, None, None, None]
        return torch.where(swap, songs.flip(2), songs)
