"""Training mixtures of dialogue, music and effects, made on the GPU by the Divide-and-Remaster recipe, with wider spreads.

Levels there are −17 / −24 / −21 LUFS for dialogue / music / effects, ambience at −29; a training mixture varies them by
±4 to ±6 dB (standard deviation 2 to 3), so that the network meets quiet dialogue and loud music too. They are levels as heard: by energy, music of deep bass would
be 7 dB quieter beside speech than it is in that recipe.
"""

import torch

from training.mix import augment
from training.mix.codec import through_codec

STEMS = ("dialogue", "music", "effects")
CODED = 0.15
"""Probability that a stem was compressed before it was mixed."""
BASS_MUSIC, BASS_EFFECTS = 0.2, 0.1
"""Probability of a bass boost. Music that is mostly below 60 Hz was taken for effects; effects get some too, so that bass does not imply music."""


class DialogueMusicEffects:
    def __init__(self, pools, frames, rooms=256, singing_alone=0.1, pitched_noise=0.0, speeds=1.0):
        """`singing_alone` is the probability that the music is a single voice, `pitched_noise` that an effect is given a pitch;
        `speeds` is how far sounds may be played faster or slower."""
        self.singing_alone = singing_alone
        self.pitched_noise = pitched_noise
        self.speeds = speeds
        self.pools = pools
        self.frames = frames
        self.rooms = augment.make_rooms(rooms, pools.device)

    def _draw(self, role, count, rate_spread):
        rates = 1 + self.speeds * rate_spread * (2 * torch.rand(count, device=self.pools.device) - 1)
        return self.pools[f"{role}.train"].draw(count, self.frames, rates)

    def dialogue(self, count):
        device = self.pools.device
        voices = []
        for is_second in (False, True):
            voice, is_full_band = self._draw("dialogue", count, 0.08)
            voice = augment.extend_band(voice, is_full_band)
            voice = augment.colour(voice, self.rooms, 0.35, 3.0)
            voice = augment.pan(voice, torch.rand(count, device=device) ** 3 * 0.9)
            voice = augment.set_level(voice, -20 + 2 * torch.randn(count, device=device))
            if is_second:
                part = augment.presence(count, self.frames, device, 0.7, 0.8)
                voice = voice * part
            else:
                voice = voice * augment.presence(count, self.frames, device, 0.0, 0.25)
            voices.append(voice)
        return voices[0] + voices[1]

    def music(self, count):
        device = self.pools.device
        music, _ = self._draw("music", count, 0.06)
        music = augment.colour(augment.narrow(music, 0.1), self.rooms, 0.1, 3.0, augment.bass_curves(count, BASS_MUSIC, device))
        music = augment.set_level(augment.pan(music, 0.15), torch.full((count,), -20.0, device=device))
        if "singing.train" in self.pools:
            song, _ = self._draw("singing", count, 0.1)
            song = augment.colour(song, self.rooms, 0.5, 3.0)
            song = augment.set_level(augment.pan(song, 0.3), -20 + 4 * torch.randn(count, device=device))
            is_alone = augment.chance(count, self.singing_alone, device)
            is_sung = is_alone | augment.chance(count, 0.15, device)
            music = music * ~is_alone[:, None, None] + song * is_sung[:, None, None]
        return music * augment.presence(count, self.frames, device, 0.0, 0.2)

    def _pitched(self, count, curves=None):
        if not self.pitched_noise:
            return curves
        tubes = augment.tube_curves(count, self.pitched_noise, self.pools.device)
        return (lambda bins: curves(bins) * tubes(bins)) if curves else tubes

    def events(self, count):
        device = self.pools.device
        total = torch.zeros(count, 2, self.frames, device=device)
        for absent_chance in (0.12, 0.6):
            event, is_full_band = self._draw("effects", count, 0.2)
            event = augment.extend_band(event, is_full_band)
            event = augment.colour(event, self.rooms, 0.3, 4.0, self._pitched(count, augment.bass_curves(count, BASS_EFFECTS, device)))
            event = augment.pan(event, 0.8)
            event = augment.set_level(event, -20 + 3 * torch.randn(count, device=device))
            total = total + event * augment.presence(count, self.frames, device, absent_chance, 0.4)
        return total

    def ambience(self, count):
        ambience, _ = self._draw("ambience", count, 0.15)
        ambience = augment.colour(augment.narrow(ambience, 0.1), self.rooms, 0.05, 4.0, self._pitched(count))
        return augment.pan(ambience, 0.15)

    def effects(self, count):
        device = self.pools.device
        events = self.events(count)
        ambience = augment.set_level(self.ambience(count), -27 + 4 * torch.randn(count, device=device))
        return events + ambience * augment.presence(count, self.frames, device, 0.4, 0.15)

    def draw(self, count):
        """Stems [count, 3, 2, frames]; the mixture is their sum."""
        device = self.pools.device
        makers = (self.dialogue, self.music, self.effects)
        levels_db = ((-17, 2.5), (-24, 4.0), (-21, 4.0))
        stems = []
        for make, (mean_db, spread_db) in zip(makers, levels_db):
            stem = augment.set_loudness(through_codec(make(count), CODED), mean_db + spread_db * torch.randn(count, device=device))
            silent = augment.chance(count, 0.06, device)[:, None, None]
            stems.append(torch.where(silent, torch.zeros_like(stem), stem))
        return self.finish(torch.stack(stems, 1))

    def finish(self, stems):
        """Transmission effects on the whole mixture: mono and band limits, the same for all stems."""
        count, device = len(stems), stems.device
        mono = augment.chance(count, 0.3, device)[:, None, None, None]
        stems = torch.where(mono, stems.mean(2, keepdim=True).expand_as(stems), stems)
        cutoff_hz = augment.uniform(count, 3500, 17000, device)
        cutoff_hz = torch.where(augment.chance(count, 0.2, device), cutoff_hz, torch.full_like(cutoff_hz, 30000))
        frames = stems.shape[-1]
        length = augment.fast_length(frames)
        spectrum = torch.fft.rfft(stems, length)
        curve = augment.low_pass_curves(cutoff_hz, spectrum.shape[-1])[:, None]
        return torch.fft.irfft(spectrum * curve, length)[..., :frames]
