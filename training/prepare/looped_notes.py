"""Recorded notes as small samplers play them: few recordings an octave, and of each the attack and one short loop → strips as in `notes`.

    python3 -m training.prepare.looped_notes --list training/data/other-splitter.json --out DIR

A data list names instruments under a source of kind `loops`; their strips must lie in DIR already. Without these a network takes every tone that
does not change for an organ or a synthesizer.
"""

import argparse
import json
from pathlib import Path

import numpy

from training.prepare.notes import RATE_HZ, join_notes, trim, write_strip
from training.prepare.sources import decode, load_data_list
from training.prepare.splits import hash_fraction

SECONDS = 3.0
PITCH_STEP = 5
LOOP_S = (0.03, 0.45)
ATTACK_S = (0.2, 0.6)
WIDEST_HZ = (5000, 18000)
FADE_S = 0.02


def chance(low, high, *names):
    """A number between the two that depends only on the names."""
    return low + (high - low) * hash_fraction(":".join(map(str, names)))


def fit_loop(sound, start, wanted):
    """The length near `wanted` after which the sound best matches itself: whole periods."""
    window = min(wanted, RATE_HZ // 20)
    here = sound[start : start + window]
    lengths = range(int(0.8 * wanted), int(1.25 * wanted))
    pieces = numpy.lib.stride_tricks.sliding_window_view(sound[start + lengths[0] : start + lengths[-1] + window], window)
    likeness = (pieces @ here) / (numpy.linalg.norm(pieces, axis=1) + 1e-9)
    return lengths[int(likeness.argmax())]


def loop(note, start, length, frames):
    """The note [n, channels] up to `start`, then `length` frames repeatedly; the end of each round fades into what came before the first."""
    fade = min(int(FADE_S * RATE_HZ), length // 2, start)
    round_ = note[start : start + length].copy()
    rise = numpy.linspace(0, 1, fade)[:, None]
    round_[-fade:] = round_[-fade:] * (1 - rise) + note[start - fade : start] * rise
    repeats = -(-(frames - start) // length)
    return numpy.concatenate([note[:start], numpy.tile(round_, (repeats, 1))])[:frames]


def limit_band(sound, highest_hz):
    spectrum = numpy.fft.rfft(sound, axis=0)
    pitch_hz = numpy.fft.rfftfreq(len(sound), 1 / RATE_HZ)
    spectrum *= (1 / (1 + (pitch_hz / highest_hz) ** 16))[:, None]
    return numpy.fft.irfft(spectrum, len(sound), axis=0).astype(numpy.float32)


def thin_out(notes):
    """One note every few semitones, at middle loudness."""
    chosen = []
    for pitch in sorted({note["pitch"] for note in notes}):
        if not chosen or pitch >= chosen[-1]["pitch"] + PITCH_STEP:
            chosen.append(min((note for note in notes if note["pitch"] == pitch), key=lambda note: abs(note["loudness"] - 0.6)))
    return chosen


def make_strip(name, samples, notes):
    highest_hz = chance(*WIDEST_HZ, name, "band")
    wanted = int(RATE_HZ * numpy.exp(chance(*numpy.log(LOOP_S), name, "loop")))
    looped = []
    for note in thin_out(notes):
        sound = samples[note["start"] : note["start"] + note["frames"]]
        start = int(chance(*ATTACK_S, name, note["pitch"]) * RATE_HZ)
        if len(sound) >= start + int(1.25 * wanted) + RATE_HZ // 4:
            piece = loop(sound, start, fit_loop(sound.mean(1), start, wanted), int(SECONDS * RATE_HZ))
            looped.append((note["pitch"], 0.6, trim(limit_band(piece, highest_hz), SECONDS)))
    return join_notes(looped)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    for source in load_data_list(options.list):
        for name in source["of"] if source["kind"] == "loops" else ():
            path = options.out / "strips" / "train" / f"{name}.ogg"
            played = json.loads(path.with_suffix(".json").read_text())
            instrument = {"id": f"{source['id']}-{name}", "stem": played["stem"], "articulation": "sustain", "split": "train"}
            if not (path.parent / f"{instrument['id']}.json").exists():
                samples, _ = decode(path, 1)
                write_strip(instrument, source, *make_strip(name, samples, played["notes"]), options.out)


if __name__ == "__main__":
    main()
