"""Recorded notes that travel with the training, and synthesizers and drum machines made up at the start: one array of samples and its tables."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy

from training.prepare.vorbis import decode_vorbis

RATE_HZ = 22050
SYNTHS, MACHINES = 24, 10
GAP = 64


@dataclass
class Instrument:
    name: str
    program: int
    kind: str
    pitch: numpy.ndarray
    start: numpy.ndarray
    frames: numpy.ndarray

    def choose(self, pitches):
        return numpy.abs(pitches[:, None] - self.pitch).argmin(1)


def sweep(phase_rate):
    return 2 * numpy.pi * numpy.cumsum(phase_rate) / RATE_HZ




def synth_note(pitch, patch, dice):
    """A stack of harmonics with a falling spectrum; cheap, without aliasing."""
    frames = int(RATE_HZ * 1.3)
    time = numpy.arange(frames) / RATE_HZ
    hz = 440 * 2 ** ((pitch - 69) / 12)
    sound, dimming = numpy.zeros(frames), numpy.exp(-time * patch["dim"])
    for voice in range(patch["voices"]):
        shifted = hz * 2 ** (patch["spread"] * (voice - (patch["voices"] - 1) / 2) / 1200)
        for number in range(1, int(min(20, 8000 / shifted)) + 1):
            if patch["odd"] and number % 2 == 0:
                continue
            sound += number ** -patch["tilt"] * dimming**number * numpy.sin(2 * numpy.pi * number * shifted * time + dice.uniform(0, 6.28))
    if patch["fm"]:
        sound = numpy.sin(2 * numpy.pi * hz * time + patch["fm"] * numpy.exp(-3 * time) * numpy.sin(2 * numpy.pi * hz * patch["ratio"] * time))
    return sound * numpy.exp(-time * patch["fall"]) * numpy.minimum(1, time / patch["rise"])


def make_synth(number, dice):
    is_pluck = bool(dice.randint(2))
    patch = {
        "voices": int(dice.choice((1, 1, 2, 3))), "spread": dice.uniform(4, 16), "odd": bool(dice.randint(3) == 0), "tilt": dice.uniform(0.6, 2.0),
        "dim": dice.uniform(0, 2.0) if is_pluck else dice.uniform(0, 0.2), "fm": dice.uniform(0.5, 4) if dice.random_sample() < 0.25 else 0,
        "ratio": float(dice.choice((1, 2, 3, 0.5))), "fall": dice.uniform(1, 6) if is_pluck else 0.0, "rise": dice.uniform(0.002, 0.01 if is_pluck else 0.15),
    }  # fmt: skip
    return {"name": f"synth-{number}", "program": 300, "kind": "pluck" if is_pluck else "sustain"}, [(pitch, synth_note(pitch, patch, dice)) for pitch in range(29, 93, 9)]


def noise_hit(dice, seconds, low_hz, high_hz):
    frames = int(RATE_HZ * seconds * 4)
    spectrum = numpy.fft.rfft(dice.standard_normal(frames))
    hz = numpy.fft.rfftfreq(frames, 1 / RATE_HZ)
    sound = numpy.fft.irfft(spectrum * (hz > low_hz) * (hz < high_hz), frames)
    return sound / numpy.abs(sound).max() * numpy.exp(-numpy.arange(frames) / RATE_HZ / seconds)


def make_machine(number, dice):
    """Electronic drums: a falling sine, noise bands, bursts of noise."""
    time = numpy.arange(int(RATE_HZ * 0.6)) / RATE_HZ
    tone = lambda top, bottom, drop, fall: numpy.sin(sweep(bottom + (top - bottom) * numpy.exp(-time / drop))) * numpy.exp(-time / fall)
    kick = tone(dice.uniform(120, 400), dice.uniform(38, 62), dice.uniform(0.008, 0.04), dice.uniform(0.06, 0.3))
    snare_noise = noise_hit(dice, dice.uniform(0.04, 0.15), dice.uniform(300, 1800), 10500)[: len(time)]
    snare = numpy.zeros(len(time))
    snare[: len(snare_noise)] = snare_noise * dice.uniform(0.5, 1)
    snare += tone(dice.uniform(220, 400), dice.uniform(150, 230), 0.02, dice.uniform(0.03, 0.1)) * dice.uniform(0.2, 0.8)
    clap = numpy.zeros(6000)
    for delay in (0, 220, 450):
        burst = noise_hit(dice, dice.uniform(0.05, 0.12), 700, 5000)[: len(clap) - delay]
        clap[delay : delay + len(burst)] += burst
    hat = noise_hit(dice, dice.uniform(0.01, 0.04), dice.uniform(3500, 7500), 10900)
    hat_open = noise_hit(dice, dice.uniform(0.1, 0.25), dice.uniform(3500, 7500), 10900)
    crash = noise_hit(dice, dice.uniform(0.2, 0.35), 2000, 10900)
    shaker = noise_hit(dice, 0.03, 4000, 9000)
    tom = lambda hz: tone(hz * 1.6, hz, 0.05, 0.15)
    sounds = [(36, kick), (38, snare), (39, clap), (42, hat), (46, hat_open), (49, crash), (51, hat_open * 0.7), (70, shaker), (41, tom(80)), (45, tom(120)), (48, tom(170)), (37, clap[:1500])]
    return {"name": f"machine-{number}", "program": 128, "kind": "drums"}, sounds


class SmallBank:
    """Samples of one split, and its instruments by kind."""

    def __init__(self, pack, split, with_synths=True):
        self.instruments, pieces, self.frames = [], [], 0
        for entry, sounds in [*self.recorded(pack, split), *(self.invented() if with_synths else ())]:
            self.add(entry, sounds, pieces)
        self.samples = numpy.concatenate(pieces)
        self.drums = [one for one in self.instruments if one.kind == "drums"]
        self.pitched = [one for one in self.instruments if one.kind != "drums"]
        self.by_program = {}
        for one in self.pitched:
            self.by_program.setdefault(one.program, []).append(one)

    def recorded(self, pack, split):
        for number, entry in enumerate(json.loads((Path(pack) / "notes.json").read_text())):
            if entry["split"] == split:
                samples, _ = decode_vorbis(Path(pack) / f"{number:03d}.ogg")
                yield entry, [(pitch, samples[start : start + frames, 0]) for pitch, start, frames in entry["notes"]]

    def invented(self):
        dice = numpy.random.RandomState(7)
        yield from (make_synth(number, dice) for number in range(SYNTHS))
        yield from (make_machine(number, dice) for number in range(MACHINES))

    def add(self, entry, sounds, pieces):
        starts, lengths = [], []
        for _, sound in sounds:
            if sound.dtype != numpy.int16:
                sound = (sound * (0.7 / max(1e-6, numpy.abs(sound).max())) * 32767).astype(numpy.int16)
            pieces += [sound, numpy.zeros(GAP, numpy.int16)]
            starts.append(self.frames)
            lengths.append(len(sound))
            self.frames += len(sound) + GAP
        self.instruments.append(Instrument(entry["name"], entry["program"], entry["kind"], numpy.array([pitch for pitch, _ in sounds], "f4"), numpy.array(starts, "i8"), numpy.array(lengths, "i8")))
