"""Training mixtures for music detection: the stems of a dialogue, music and effects mixture, entering and leaving, and when each is heard."""

import torch
from torch.nn import functional

from training.mix import augment
from training.mix.dialogue_music_effects import DialogueMusicEffects
from training.networks.music_detector import STRIDE
from training.networks.stft import HOP

SPAN = STRIDE * HOP
HEARD_DB, UNHEARD_DB = -25.0, -40.0
"""A stem this far below the mixture is heard, or not; in between nobody can say, and it is not asked."""
SILENCE = 1e-7
REST_SPANS = 5
"""Rests up to half a second belong to the music."""


def span_power(stems):
    """Power [n, stems, spans] of [n, stems, frames] around every output of the detector."""
    padded = functional.pad(stems, (SPAN // 2, SPAN // 2))
    return padded.unfold(-1, SPAN, SPAN).square().mean(-1)


def close_rests(power):
    width = 2 * (REST_SPANS // 2) + 1
    wide = functional.max_pool1d(power, width, 1, width // 2)
    return -functional.max_pool1d(-wide, width, 1, width // 2)


def heard(stems):
    """For [n, stems, frames] mono: 1 where a stem is heard, 0 where it is not [n, stems, spans], and 1 where that is certain."""
    power = close_rests(span_power(stems))
    mixture = functional.avg_pool1d(power.sum(1, keepdim=True), 11, 1, 5, count_include_pad=False)
    share_db = 10 * torch.log10(power / (mixture + SILENCE) + 1e-9)
    is_heard = (share_db > HEARD_DB) & (power > SILENCE)
    is_certain = is_heard | (share_db < UNHEARD_DB) | (power < 0.1 * SILENCE)
    return is_heard.float(), is_certain.float()


class MusicPresence:
    def __init__(self, pools, frames):
        self.frames = frames
        self.device = pools.device
        self.scene = DialogueMusicEffects(pools, frames, singing_alone=0.15)

    def _stem(self, sound, level_db, silent_chance, part_chance):
        sound = augment.set_level(sound, level_db)
        return sound * augment.presence(len(sound), self.frames, self.device, silent_chance, part_chance)

    def draw(self, count):
        """A mono mixture [count, frames], and `heard` of its three stems (music, dialogue, effects)."""
        uniform = lambda low, high: augment.uniform(count, low, high, self.device)
        music = self._stem(self.scene.music(count), -20 + uniform(-17, 8), 0.35, 0.6)
        dialogue = self._stem(self.scene.dialogue(count), -20 + uniform(-3, 3), 0.3, 0.3)
        effects = self._stem(self.scene.effects(count), -20 + uniform(-17, 6), 0.3, 0.3)
        stems = self.scene.finish(torch.stack([music, dialogue, effects], 1)).mean(2)
        stems = stems * 10 ** (uniform(-22, 6) / 20)[:, None, None]
        return stems.sum(1), *heard(stems)
