"""Training mixtures for music detection: music, speech, events and ambience, at once or in turn, and when each is audible.

Some of the speech is conversation: up to four people in one room, with noise.
"""

import torch
from torch.nn import functional

from training.mix import augment
from training.mix.conversation import Conversation
from training.mix.dialogue_music_effects import DialogueMusicEffects
from training.mix.voice_pool import RATE_HZ as VOICE_RATE_HZ
from training.networks.music_detector import STRIDE
from training.networks.stft import HOP

SPAN = STRIDE * HOP
HEARD_DB, UNHEARD_DB = -25.0, -40.0
"""A stem above the first level, relative to the mixture, is audible, below the second it is not; in between it is not scored."""
SILENCE = 1e-7
REST_SPANS = 5
"""Rests up to half a second count as music."""
KINDS = ("music", "dialogue", "events", "ambience")
AT_ONCE = ((-17, 8, 0.35, 0.6), (-3, 3, 0.3, 0.3), (-17, 6, 0.35, 0.3), (-22, 3, 0.45, 0.3))
"""For each kind in a scene: lowest and highest level in dB, probability of being absent, and of being present only in part."""
IN_TURN = 0.4
"""Probability that the kinds follow each other instead. Ambience alone was one scene in twenty-five, and a detector trained on scenes took it for music."""
TURNS, TURN_CHANCES = 5, (0.38, 0.22, 0.18, 0.18, 0.04)
"""Turns per mixture, and the probability of each kind, or of silence."""
FADE = 1024
BACKWARDS = 0.2
TWO_VOICES = 0.25
"""Probability of a second voice throughout."""
USES = 3


def span_power(stems):
    """Power [n, stems, spans] of [n, stems, frames] around every output of the detector."""
    padded = functional.pad(stems, (SPAN // 2, SPAN // 2))
    return padded.unfold(-1, SPAN, SPAN).square().mean(-1)


def close_rests(power):
    width = 2 * (REST_SPANS // 2) + 1
    wide = functional.max_pool1d(power, width, 1, width // 2)
    return -functional.max_pool1d(-wide, width, 1, width // 2)


def audible(stems):
    """For [n, stems, frames] mono: 1 where a stem is audible, 0 where it is not [n, stems, spans], and 1 where that is certain."""
    power = close_rests(span_power(stems))
    mixture = functional.avg_pool1d(power.sum(1, keepdim=True), 11, 1, 5, count_include_pad=False)
    share_db = 10 * torch.log10(power / (mixture + SILENCE) + 1e-9)
    is_audible = (share_db > HEARD_DB) & (power > SILENCE)
    is_certain = is_audible | (share_db < UNHEARD_DB) | (power < 0.1 * SILENCE)
    return is_audible.float(), is_certain.float()


def through_telephone(stems, probability):
    """Applies a telephone's band to some mixtures [n, stems, frames]: from 200 to 350 Hz up to 3.3 to 4 kHz, the same for all stems."""
    count, _, frames = stems.shape
    length = augment.fast_length(frames)
    spectrum = torch.fft.rfft(stems, length)
    frequency = torch.linspace(0, augment.RATE_HZ / 2, spectrum.shape[-1], device=stems.device)
    lowest, highest = (augment.uniform(count, *ends, stems.device)[:, None] for ends in ((200, 350), (3300, 4000)))
    band = torch.sigmoid((frequency - lowest) / 25) * torch.sigmoid((highest - frequency) / 60)
    is_called = augment.chance(count, probability, stems.device)[:, None, None]
    return torch.where(is_called, torch.fft.irfft(spectrum * band[:, None], length)[..., :frames], stems)


def to_full_rate(sound):
    """[n, frames] at the voices' rate → at the mixtures', for whole tenths of a second."""
    tenths = sound.shape[-1] * 10 // VOICE_RATE_HZ
    frames = tenths * augment.RATE_HZ // 10
    return torch.fft.irfft(torch.fft.rfft(sound)[..., :-1], frames) * (frames / sound.shape[-1])


class MusicPresence:
    def __init__(self, pools, frames, telephone=0.0, voices=None, conversations=0.0):
        """`telephone` is the share of mixtures limited to a telephone's band, `conversations` the share of speech that is conversation, of `voices`."""
        self.frames = frames
        self.telephone = telephone
        self.conversations, self.talk = conversations, None
        if conversations:
            tenths = -(-frames * 10 // augment.RATE_HZ)
            self.talk = Conversation(voices, tenths * VOICE_RATE_HZ // 10, pools.folder / "rooms.npy", speakers=4, telephone=0.0)
        self.device = pools.device
        self.scene = DialogueMusicEffects(pools, frames, singing_alone=0.25, pitched_noise=0.15, speeds=2.0)

    def _conversation(self, count):
        """Mono conversations at full rate [count, frames], some with a synthetic top."""
        sound = to_full_rate(self.talk.draw(count)[0])[:, None, : self.frames].expand(-1, 2, -1)
        sound = augment.extend_band(sound, torch.zeros(count, dtype=torch.bool, device=self.device))
        return augment.set_level(sound, torch.full((count,), -20.0, device=self.device)).mean(1)

    def _sounds(self, count):
        """One sound of each kind, mono, at the same level [count, KINDS, frames]; a fifth of them reversed."""
        makers = (self.scene.music, self.scene.dialogue, self.scene.events, self.scene.ambience)
        level_db = torch.full((count,), -20.0, device=self.device)
        sounds = torch.stack([augment.set_level(make(count), level_db).mean(1) for make in makers], 1)
        is_pair = augment.chance(count, TWO_VOICES, self.device)[:, None]
        sounds[:, 1] += is_pair * sounds[:, 1].roll(1, 0)
        if self.talk:
            talks = round(count * self.conversations)
            sounds[:talks, 1] = self._conversation(talks)
        is_backwards = augment.chance(count * len(KINDS), BACKWARDS, self.device).view(count, len(KINDS), 1)
        return torch.where(is_backwards, sounds.flip(-1), sounds)

    def _at_once(self, count):
        """Gains of each kind if all may be audible at once [count, KINDS, frames]."""
        envelopes = []
        for lowest_db, highest_db, silent_chance, part_chance in AT_ONCE:
            gain = 10 ** (augment.uniform(count, lowest_db, highest_db, self.device) / 20)
            envelopes.append(gain[:, None, None] * augment.presence(count, self.frames, self.device, silent_chance, part_chance))
        return torch.cat(envelopes, 1)

    def _in_turn(self, count):
        """Gains of each kind if one follows the other."""
        time = torch.linspace(0, 1, self.frames // FADE + 1, device=self.device)
        changes = torch.rand(count, 1, TURNS - 1, device=self.device)
        turn = (time[:, None] > changes).sum(-1)
        kinds = torch.multinomial(torch.tensor(TURN_CHANCES, device=self.device), count * TURNS, replacement=True).view(count, TURNS)
        is_on = functional.one_hot(kinds.gather(1, turn), len(TURN_CHANCES)).transpose(1, 2)[:, : len(KINDS)].float()
        gain = 10 ** (augment.uniform(count * len(KINDS), -5, 5, self.device) / 20).view(count, len(KINDS), 1)
        return gain * functional.interpolate(is_on, self.frames, mode="linear", align_corners=True)

    def draw(self, count):
        """A mono mixture [count, frames], and `audible` of its three stems (music, dialogue, effects). Each sound is used in `USES` of them."""
        sounds = self._sounds(count // USES)
        orders = [[torch.randperm(len(sounds), device=self.device) for _ in KINDS] for _ in range(USES)]
        sounds = torch.cat([torch.stack([sounds[order, kind] for kind, order in enumerate(orders_of)], 1) for orders_of in orders])
        is_in_turn = augment.chance(len(sounds), IN_TURN, self.device)[:, None, None]
        sounds = sounds * torch.where(is_in_turn, self._in_turn(len(sounds)), self._at_once(len(sounds)))
        stems = torch.stack([sounds[:, 0], sounds[:, 1], sounds[:, 2] + sounds[:, 3]], 1)
        stems = self.scene.finish(stems[:, :, None])[:, :, 0]
        if self.telephone:
            stems = through_telephone(stems, self.telephone)
        stems = stems * 10 ** (augment.uniform(len(stems), -22, 6, self.device) / 20)[:, None, None]
        return stems.sum(1), *audible(stems)
