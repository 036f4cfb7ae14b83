"""Measured rooms of a data list as responses at 48 kHz.

    python3 -m training.prepare.measured_rooms --list training/data/speech-denoise.json --roots DIR --out measured-rooms.npz

float16 {train, held-out} [responses, taps] of energy 1, and {train-top-hz, held-out-top-hz} [responses], above which there is nothing. A source of the kind `rooms` names files of responses, a channel each, or pairs of recordings, dry and
in the room: then the response is the quotient of their spectra.
"""

import argparse
import fnmatch
from pathlib import Path

import numpy

from training.prepare.sources import decode, load_data_list
from training.prepare.splits import hash_fraction

RATE_HZ = 48000
TAPS = RATE_HZ * 3 // 4
LEAD = RATE_HZ // 400
"""2.5 ms are kept before the direct sound."""
REGULAR = 1e-3
"""Below this share of the dry recording's mean power, the quotient says little about the room."""


def to_rate(sound, rate_hz):
    frames = len(sound) * RATE_HZ // rate_hz
    spectrum = numpy.zeros(frames // 2 + 1, complex)
    given = numpy.fft.rfft(sound)[: frames // 2 + 1]
    spectrum[: len(given)] = given
    return numpy.fft.irfft(spectrum, frames) * (RATE_HZ / rate_hz)


def quotient(reverberant, dry):
    """The response that turns `dry` into `reverberant`."""
    length = 2 ** int(numpy.ceil(numpy.log2(len(dry) + len(reverberant))))
    given, wanted = numpy.fft.rfft(dry, length), numpy.fft.rfft(reverberant, length)
    power = numpy.abs(given) ** 2
    return numpy.fft.irfft(wanted * given.conj() / (power + REGULAR * power.mean()), length)


def trim(response):
    """The direct sound at `LEAD`, a soft end, energy 1. Rotates circularly, so that what precedes the direct sound is kept."""
    peak = int(numpy.abs(response).argmax())
    taken = numpy.roll(response, LEAD - peak)[:TAPS]
    taken = numpy.pad(taken, (0, TAPS - len(taken)))
    taken[-TAPS // 8 :] *= numpy.linspace(1, 0, len(taken[-TAPS // 8 :]))
    return taken / numpy.linalg.norm(taken)


def responses_of(source, root):
    """Yields (name, response at 48 kHz)."""
    if "pairs" in source:
        for path in sorted((root / source["pairs"]["reverberant"]).glob("*.wav")):
            reverberant, rate_hz = decode(path, 1)
            dry, _ = decode(root / source["pairs"]["dry"] / path.name, 1)
            yield path.name, trim(to_rate(quotient(reverberant[:, 0], dry[:, 0])[: 2 * rate_hz], rate_hz))
        return
    for path in sorted(root.rglob("*.wav")):
        name = str(path.relative_to(root))
        if any(fnmatch.fnmatch(name, pattern) for pattern in source["include"]):
            samples, rate_hz = decode(path, 2)
            for channel in samples.T:
                yield name, trim(to_rate(channel, rate_hz))


def measured_rooms(sources, roots):
    rooms, tops = {"train": [], "held-out": []}, {"train": [], "held-out": []}
    for source in sources:
        for name, response in responses_of(source, Path(roots) / source["folder"]):
            is_held_out = hash_fraction(f"{source['id']}:{name}") < source["held_out_fraction"]
            split = "held-out" if is_held_out else "train"
            rooms[split].append(response)
            tops[split].append(source.get("top_hz", RATE_HZ / 2))
    responses = {split: numpy.array(found, numpy.float16).reshape(-1, TAPS) for split, found in rooms.items()}
    return {**responses, **{f"{split}-top-hz": numpy.array(found, numpy.float32) for split, found in tops.items()}}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", required=True)
    parser.add_argument("--roots", required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    rooms = measured_rooms([source for source in load_data_list(options.list) if source.get("kind") == "rooms"], options.roots)
    numpy.savez(options.out, **rooms)
    print({split: len(found) for split, found in rooms.items()})


if __name__ == "__main__":
    main()
