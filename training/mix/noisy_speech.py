"""Speech as it is recorded, at 48 kHz: [count, 3, frames] (dry speech, what the room adds to it, noise). The mixture is their sum.

Dry speech is the direct sound with what follows within about 30 ms. Noise is everything else: sounds of the surroundings, hiss, and what clipping and codecs
change. Speech or noise that ends below 24 kHz ends the whole mixture there, so the lack of a band says nothing about either.
"""

import numpy
import torch

from training.mix.augment import chance, fast_length, uniform
from training.mix.codec import through_codec
from training.mix.speech_pool import RATE_HZ
from training.mix.two_voices import active_level, coloured_noise, equalizers

MARGIN = RATE_HZ // 2
"""Drawn before the mixture begins, so that reverberation is already present."""
BLOCK = RATE_HZ // 10
EARLY_S, LATE_S = 0.02, 0.04
"""Reflections up to the first time belong to the voice; up to the second time they fade over to the room."""
ABSENT_SPEECH, ABSENT_NOISE = 0.04, 0.06
SECOND_VOICE = 0.12
SECOND_NOISE = 0.5
HISS = 0.2
LIMITED, CLIPPED, CODED = 0.2, 0.12, 0.15
SPEED = 0.12


def split_responses(response):
    """Responses [count, taps] → (early, late), scaled so that the early part has energy 1."""
    time_s = torch.arange(response.shape[-1], device=response.device) / RATE_HZ
    since_direct_s = time_s - response.abs().argmax(-1, keepdim=True) / RATE_HZ
    early = response * ((LATE_S - since_direct_s) / (LATE_S - EARLY_S)).clamp(0, 1)
    energy = early.square().sum(-1, keepdim=True).sqrt().clamp(min=1e-6)
    return early / energy, (response - early) / energy


def low_pass(sound, top_hz):
    """Removes everything above `top_hz` [count] from [count, …, frames]; from half the sample rate on nothing changes."""
    frames = sound.shape[-1]
    length = fast_length(frames)
    spectrum = torch.fft.rfft(sound, length)
    frequency = torch.linspace(0, RATE_HZ / 2, spectrum.shape[-1], device=sound.device)
    top_hz = torch.where(top_hz >= RATE_HZ / 2, 10 * top_hz, top_hz).reshape(-1, *[1] * (sound.dim() - 1))
    return torch.fft.irfft(spectrum * torch.sigmoid((0.97 * top_hz - frequency) / (0.006 * top_hz)), length)[..., :frames]


def clip(sound):
    """[count, frames], each clipped at a share of its peak."""
    limit = sound.abs().amax(-1, keepdim=True) * uniform(len(sound), 0.12, 0.6, sound.device)[:, None]
    return sound.clamp(-limit, limit)


class NoisySpeech:
    def __init__(self, pools, frames, room=0.6, measured=0.4, snr_db=(-5, 22)):
        """`room` is the probability of a room, `measured` that it is a measured one."""
        self.pools, self.frames, self.room, self.measured, self.snr_db = pools, frames, room, measured, snr_db
        self.rooms = {}

    def load_rooms(self):
        """Responses [places, taps] of all rooms of a kind, and their upper frequencies [places]. Files may appear while training runs."""
        for kind, name in (("simulated", "rooms.npy"), ("measured", "measured-rooms.npz")):
            path = self.pools.folder / name
            if kind in self.rooms or not path.exists():
                continue
            loaded = numpy.load(path)
            if kind == "simulated":
                values = loaded.reshape(-1, loaded.shape[-1])
                top_hz = numpy.full(len(values), RATE_HZ, numpy.float32)
            else:
                values, top_hz = loaded[self.pools.split], loaded[f"{self.pools.split}-top-hz"]
            if len(values):
                self.rooms[kind] = [torch.from_numpy(part).to(self.pools.device) for part in (values, top_hz)]
        return self.rooms

    def responses(self, count, length):
        """Spectra [count, bins] of the early and the late part of a response, the latter zero without a room; and its upper frequency."""
        device = self.pools.device
        is_measured = chance(count, self.measured, device)
        early = torch.ones(count, length // 2 + 1, dtype=torch.complex64, device=device)
        late = torch.zeros_like(early)
        top_hz = torch.full((count,), float(RATE_HZ), device=device)
        is_inside = chance(count, self.room, device)
        for kind, (rooms, tops_hz) in self.load_rooms().items():
            place = torch.randint(len(rooms), (count,), device=device)
            parts = split_responses(rooms[place].float())
            chosen = is_inside & (is_measured == (kind == "measured"))
            early, late = (torch.where(chosen[:, None], torch.fft.rfft(part, length), other) for part, other in zip(parts, (early, late)))
            top_hz = torch.where(chosen, tops_hz[place], top_hz)
        return early, late, top_hz

    def voice(self, count, frames):
        device = self.pools.device
        rates = torch.exp(uniform(count, -SPEED, SPEED, device)) ** chance(count, 0.6, device)
        sound, top_hz = self.pools.draw("voice", count, frames, rates)
        return sound / active_level(sound, BLOCK).clamp(min=1e-4), top_hz

    def speech(self, count):
        """(dry, room) [count, frames] each, together at an active level of 1, and their upper frequency."""
        device, long = self.pools.device, self.frames + MARGIN
        length = fast_length(long + RATE_HZ // 2)
        total, top_hz = 0, None
        for is_second in (False, True):
            sound, own_top_hz = self.voice(count, long)
            is_heard = torch.ones(count, device=device, dtype=torch.bool)
            if is_second:
                is_heard = chance(count, SECOND_VOICE, device)
                sound = sound * is_heard[:, None] * 10 ** (uniform(count, -10, 0, device)[:, None] / 20)
            spectrum = torch.fft.rfft(sound, length)
            spectrum = spectrum * equalizers(count, spectrum.shape[-1], device, 3, RATE_HZ)
            early, late, room_top_hz = self.responses(count, length)
            own_top_hz = torch.minimum(own_top_hz, room_top_hz)
            total = total + torch.stack([torch.fft.irfft(spectrum * part, length)[:, MARGIN:long] for part in (early, late)], 1)
            top_hz = own_top_hz if top_hz is None else torch.where(is_heard, torch.minimum(top_hz, own_top_hz), top_hz)
        return total / active_level(total.sum(1), BLOCK).clamp(min=1e-4)[..., None], top_hz

    def noise(self, count):
        """[count, frames] at an active level of 1, and its upper frequency."""
        device = self.pools.device
        total, top_hz = 0, None
        for share in (1.0, SECOND_NOISE):
            rates = torch.exp(uniform(count, -0.2, 0.2, device))
            sound, own_top_hz = self.pools.draw("noise", count, self.frames, rates)
            is_heard = chance(count, share, device)
            gain = 10 ** (uniform(count, -12, 0, device) / 20) * is_heard
            total = total + sound / active_level(sound, BLOCK).clamp(min=1e-4) * gain[:, None]
            top_hz = own_top_hz if top_hz is None else torch.where(is_heard, torch.minimum(top_hz, own_top_hz), top_hz)
        length = fast_length(self.frames)
        spectrum = torch.fft.rfft(total, length)
        total = torch.fft.irfft(spectrum * equalizers(count, spectrum.shape[-1], device, 4, RATE_HZ), length)[:, : self.frames]
        hiss = coloured_noise(count, length, device, RATE_HZ)[:, : self.frames]
        is_hiss = chance(count, HISS, device)
        total = torch.where(is_hiss[:, None], hiss, total)
        top_hz = torch.where(is_hiss, torch.full_like(top_hz, RATE_HZ), top_hz)
        return total / active_level(total, BLOCK).clamp(min=1e-4), top_hz

    def draw(self, count):
        device = self.pools.device
        speech, speech_top_hz = self.speech(count)
        noise, noise_top_hz = self.noise(count)
        speech = speech * ~chance(count, ABSENT_SPEECH, device)[:, None, None]
        is_noisy = ~chance(count, ABSENT_NOISE, device) | (speech.abs().amax((1, 2)) == 0)
        noise = noise * (10 ** (-uniform(count, *self.snr_db, device) / 20) * is_noisy)[:, None]
        stems = torch.cat([speech, noise[:, None]], 1)
        limit_hz = torch.where(chance(count, LIMITED, device), uniform(count, 3400, 16000, device), torch.full((count,), float(RATE_HZ), device=device))
        stems = low_pass(stems, torch.minimum(limit_hz, torch.minimum(speech_top_hz, noise_top_hz)))
        return self.distort(stems)

    def distort(self, stems):
        """Clipping and codecs change the mixture; the difference counts as noise."""
        mixture = stems.sum(1)
        is_clipped = chance(len(stems), CLIPPED, stems.device)[:, None]
        recorded = torch.where(is_clipped, clip(mixture), mixture)
        recorded = through_codec(recorded[:, None], CODED, RATE_HZ)[:, 0]
        return torch.cat([stems[:, :2], (stems[:, 2] + recorded - mixture)[:, None]], 1)
