"""Training mixtures of lead and backing vocals, as they are left when the instruments are taken out of a song."""

import torch

from training.mix import augment
from training.mix.codec import through_codec
from training.networks.stft import istft, stft

STEMS = ("lead", "backing")
TRACKS = 6
"""Of an ensemble: the lead, its double, two harmonies, two halves of a choir (`prepare/ensembles.py`). A real pair has two, in stereo."""
KINDS = ((1,), (2, 3), (4, 5))
REAL, ALONE, UNLED, PAUSING = 1 / 4, 0.15, 0.08, 0.2
"""Shares of mixtures that are real pairs, have no backing, have no lead, and have a lead that pauses while the backing goes on."""
CENTRED = 1 / 2
"""Share with everything in the centre: otherwise width would be all that is learnt."""
QUIETER_DB = (-3, 12)
"""How much quieter than the lead the backing is."""
LEFT_BY_HTDEMUCS = 1 / 3
CODED = 0.15
LONGEST_ECHO_S = 0.4
MOST_SEMITONES = 3
"""By which a song is played higher and faster, or lower and slower: all its tracks alike."""


def draw_tracks(pool, tracks, count, frames):
    """The same window of all tracks of random reels [count, tracks, 2, frames]; each song is played at another speed."""
    reel = torch.multinomial(pool.chances, count, replacement=True)
    length = pool.length_frames[reel] // tracks
    speed = 2 ** (augment.uniform(count, -MOST_SEMITONES, MOST_SEMITONES, pool.device) / 12)
    offset = torch.rand(count, device=pool.device) * (length - frames * speed).clamp(min=0)
    at = offset[:, None] + torch.arange(frames, device=pool.device, dtype=torch.float64) * speed[:, None]
    first = pool.start_frames[reel][:, None] + torch.arange(tracks, device=pool.device) * length[:, None]
    index = first[..., None] + at.long()[:, None]
    read = lambda frames: pool.samples[frames.clamp(max=len(pool.samples) - 1)].float().transpose(2, 3) / 32768
    return torch.lerp(read(index), read(index + 1), at.frac()[:, None, None].float())


def place(track, side):
    """Puts a mono sound [count, 2, frames] at a position [count] from −1, left, to 1, right."""
    angle = (side + 1) * torch.pi / 4
    return track * torch.stack([torch.cos(angle), torch.sin(angle)], 1)[..., None] * 2**0.5


def echo(sound, probability):
    """Repeats some of the sounds once, later and quieter."""
    count, _, frames = sound.shape
    late = (augment.uniform(count, 0.08, LONGEST_ECHO_S, sound.device) * augment.RATE_HZ).long()
    index = torch.arange(frames, device=sound.device) - late[:, None]
    again = sound.gather(2, index.clamp(min=0)[:, None].expand_as(sound)) * (index >= 0)[:, None]
    gain = 10 ** (augment.uniform(count, -24, -8, sound.device) / 20) * augment.chance(count, probability, sound.device)
    return sound + again * gain[:, None, None]


def uneven(stems, probability):
    """Gains that change with time and frequency by up to 6 dB, the same for all stems of a mixture: what a separation does to a voice."""
    parts = stft(stems)
    _, _, _, steps, bins = parts.shape
    coarse = augment.uniform(len(stems) * 8 * 12, -6, 0, stems.device).view(len(stems), 1, 8, 12)
    gain = 10 ** (torch.nn.functional.interpolate(coarse, (steps, bins), mode="bilinear", align_corners=True) / 20)
    changed = istft(parts * gain[:, None], stems.shape[-1])
    return torch.where(augment.chance(len(stems), probability, stems.device)[:, None, None, None], changed, stems)


class LeadVocals:
    def __init__(self, pools, frames, rooms=256):
        self.pools, self.frames = pools, frames
        self.rooms = augment.make_rooms(rooms, pools.device)

    def _made(self, count):
        """Lead and backing of ensembles, [count, 2, frames] each, before rooms and levels."""
        device = self.pools.device
        tracks = draw_tracks(self.pools["ensemble.train"], TRACKS, count, self.frames)
        wanted = augment.chance((count, len(KINDS)), 0.5, device)
        wanted[torch.arange(count, device=device), torch.randint(len(KINDS), (count,), device=device)] = True
        backing = torch.zeros_like(tracks[:, 0])
        swap = 1 - 2 * augment.chance(count, 0.5, device).float()
        for kind, members in enumerate(KINDS):
            gain = 10 ** (augment.uniform(count, -6, 0, device) / 20) * wanted[:, kind]
            for at, member in enumerate(members):
                side = swap * (1 - 2 * at) * augment.uniform(count, 0.3, 1.0, device)
                backing = backing + place(tracks[:, member], side) * gain[:, None, None]
        return place(tracks[:, 0], augment.uniform(count, -0.15, 0.15, device)), backing

    def _voices(self, count):
        lead, backing = self._made(count)
        if "pair.train" in self.pools:
            real = draw_tracks(self.pools["pair.train"], 2, count, self.frames)
            is_real = augment.chance(count, REAL, self.pools.device)[:, None, None]
            lead, backing = torch.where(is_real, real[:, 0], lead), torch.where(is_real, real[:, 1], backing)
        return lead, backing

    def _left_over(self, count):
        """Instruments that the first separation left in the vocals."""
        device = self.pools.device
        if "music.train" not in self.pools:
            return torch.zeros(count, 2, self.frames, device=device)
        music, _ = self.pools["music.train"].draw(count, self.frames, torch.ones(count, device=device))
        music = augment.set_level(music, augment.uniform(count, -60, -45, device))
        return music * augment.chance(count, LEFT_BY_HTDEMUCS, device)[:, None, None]

    def draw(self, count):
        """Stems [count, 2, 2, frames]; the mixture is their sum."""
        device = self.pools.device
        lead, backing = self._voices(count)
        lead = echo(augment.colour(lead, self.rooms, 0.5, 3.0), 0.3)
        backing = echo(augment.colour(backing, self.rooms, 0.7, 3.0), 0.4)
        level_db = -20 + 2 * torch.randn(count, device=device)
        lead = augment.set_loudness(through_codec(lead, CODED), level_db)
        backing = augment.set_loudness(through_codec(backing, CODED), level_db - augment.uniform(count, *QUIETER_DB, device))
        is_alone = augment.chance(count, ALONE, device)[:, None, None]
        is_unled = augment.chance(count, UNLED, device)[:, None, None] & ~is_alone
        lead = lead * ~is_unled * augment.presence(count, self.frames, device, 0.0, PAUSING)
        stems = uneven(torch.stack([lead, backing * ~is_alone], 1), LEFT_BY_HTDEMUCS)
        centred = augment.chance(count, CENTRED, device)[:, None, None, None]
        stems = torch.where(centred, stems.mean(2, keepdim=True).expand_as(stems), stems)
        stems[:, 0] += self._left_over(count)
        return stems
