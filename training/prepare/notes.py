"""Recorded single notes → strips: the notes of one instrument end to end in one Ogg Vorbis file, with a table that says what each is.

    python3 -m training.prepare.notes --list training/data/other-splitter.json --roots DIR --out DIR [--only INSTRUMENT]

A data list names instruments under a source of kind `notes`: the stem each belongs to, how it is played, and the files. Pitch and
loudness are read from file names; `octave` in the list moves an instrument whose names count octaves differently, `semitones` one whose files are numbered.
"""

import argparse
import fnmatch
import hashlib
import json
import re
from pathlib import Path

import numpy

from training.prepare.pack import encode
from training.prepare.sources import decode, load_data_list
from training.prepare.splits import hash_fraction

RATE_HZ = 44100
LONGEST_S = {"sustain": 5.0, "pluck": 4.5, "short": 1.3}
NOTE_NAME = r"(?<![A-Za-z])([A-Ga-g])(#|s|b)?(-?\d)(?![0-9])"
STEPS = {"c": 0, "d": 2, "e": 4, "f": 5, "g": 7, "a": 9, "b": 11}
DYNAMICS = ("ppp", "pp", "p", "mp", "mf", "f", "ff", "fff")
WORDS = {"pianissimo": "pp", "piano": "p", "mezzo-piano": "mp", "mezzo-forte": "mf", "forte": "f", "fortissimo": "ff"}
LOUDNESS = r"(?:_v|_vl|vl|LEVEL|(?<=\d)v)(\d+)|(?<![A-Za-z])(ppp|pp|p|mp|mf|fff|ff|f)(?![A-Za-z])"
SILENCE = 10 ** (-56 / 20)


def read_pitch(name, pattern):
    """MIDI number (A4 = 69) in a file name; a pattern with one group reads a number instead of a note's name."""
    match = re.search(pattern or NOTE_NAME, name)
    if match is None:
        return None
    if match.re.groups == 1:
        return int(match.group(1))
    sign = {"#": 1, "s": 1, "b": -1}.get(match.group(2), 0)
    return STEPS[match.group(1).lower()] + sign + 12 * (int(match.group(3)) + 1)


def read_loudness(name):
    """A rank; only the order within an instrument counts."""
    word = next((part for part in name.split("_") if part in WORDS), None)
    if word:
        return DYNAMICS.index(WORDS[word])
    match = re.search(LOUDNESS, name)
    if match is None:
        return 0
    return int(match.group(1)) if match.group(1) else DYNAMICS.index(match.group(2))


def resample(samples, rate_hz):
    if rate_hz == RATE_HZ:
        return samples
    samples = numpy.pad(samples, ((0, -len(samples) % 4800), (0, 0)))  # a length the transform is fast for
    frames = round(len(samples) * RATE_HZ / rate_hz)
    spectrum = numpy.fft.rfft(samples, axis=0)
    wanted = numpy.zeros((frames // 2 + 1, samples.shape[1]), complex)
    kept = min(len(wanted), len(spectrum))
    wanted[:kept] = spectrum[:kept]
    return (numpy.fft.irfft(wanted, frames, axis=0) * (frames / len(samples))).astype(numpy.float32)


def trim(samples, longest_s):
    """From just before the onset to where the sound has decayed, at most `longest_s`, with soft ends and a peak of 0.7."""
    loud = numpy.abs(samples).max(axis=1)
    peak = loud.max(initial=0)
    if peak < 1e-3:
        return None
    first = max(0, int(numpy.argmax(loud > 0.02 * peak)) - 220)
    last = len(loud) - int(numpy.argmax(loud[::-1] > SILENCE * peak))
    piece = samples[first : min(last, first + int(longest_s * RATE_HZ))] * (0.7 / peak)
    if len(piece) < 0.08 * RATE_HZ:
        return None
    piece[:64] *= numpy.linspace(0, 1, 64)[:, None]
    fade = min(len(piece) // 4, RATE_HZ // 5)
    piece[-fade:] *= numpy.linspace(1, 0, fade)[:, None]
    return piece.astype(numpy.float32)


def is_wanted(instrument, name):
    return any(fnmatch.fnmatch(name, pattern) for pattern in instrument["include"])


def choose_files(instrument, root):
    """[(path, pitch, loudness rank)]: at most `most` files, thinned evenly over pitch and loudness."""
    found = []
    for path in sorted(root.rglob("*")):
        relative = str(path.relative_to(root))
        if not path.is_file() or not is_wanted(instrument, relative):
            continue
        pitch = read_pitch(path.name, instrument.get("pitch"))
        if pitch is not None:
            found.append((path, pitch + 12 * instrument.get("octave", 0) + instrument.get("semitones", 0), read_loudness(path.stem)))
    found.sort(key=lambda item: (item[1], item[2], hash_fraction(item[0].name)))
    most = instrument.get("most", 60)
    if len(found) > most:
        found = [found[int(at)] for at in numpy.linspace(0, len(found) - 1, most)]
    return found


def join_notes(notes):
    """[(pitch, loudness, samples [frames, channels], or None for silence)] → the samples end to end, and one table entry per note."""
    pieces, table, at = [], [], 0
    for pitch, loudness, piece in notes:
        if piece is None:
            continue
        table.append({"pitch": pitch, "loudness": round(loudness, 3), "start": at, "frames": len(piece)})
        pieces += [piece, numpy.zeros((256, piece.shape[1]), numpy.float32)]
        at += len(piece) + 256
    return numpy.concatenate(pieces), table


def make_strip(instrument, root):
    channels = instrument.get("channels", 1)
    files = choose_files(instrument, root)
    ranks = sorted({rank for _, _, rank in files})
    notes = []
    for path, pitch, rank in files:
        longest_s = LONGEST_S[instrument["articulation"]]
        samples, rate_hz = decode(path, channels, (0, int((longest_s + 0.5) * 48000)))
        loudness = ranks.index(rank) / (len(ranks) - 1) if len(ranks) > 1 else 0.6
        notes.append((pitch, loudness, trim(resample(samples, rate_hz), longest_s)))
    return join_notes(notes)


def write_strip(instrument, source, samples, table, out):
    path = out / "strips" / instrument["split"] / f"{instrument['id']}.ogg"
    path.parent.mkdir(parents=True, exist_ok=True)
    encode(samples, RATE_HZ, path)
    entry = {
        "instrument": instrument["id"], "source": source["id"], "split": instrument["split"], "stem": instrument["stem"],
        "articulation": instrument["articulation"], "drive": instrument.get("drive", "none"),
        "seconds": round(len(samples) / RATE_HZ, 2), "bytes": path.stat().st_size,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "notes": table,
    }
    path.with_suffix(".json").write_text(json.dumps(entry))
    print(f"{instrument['id']:36s} {instrument['stem']:8s} {instrument['split']:8s} {len(table):4d} notes {entry['seconds'] / 60:6.1f} min", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", required=True)
    parser.add_argument("--roots", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    for source in load_data_list(options.list):
        for instrument in source.get("instruments", []):
            done = options.out / "strips" / instrument["split"] / f"{instrument['id']}.json"
            if source["kind"] != "notes" or options.only not in instrument["id"] or done.exists():
                continue
            if not choose_files(instrument, options.roots / source["folder"]):
                print(f"{instrument['id']}: no files", flush=True)
                continue
            write_strip(instrument, source, *make_strip(instrument, options.roots / source["folder"]), options.out)


if __name__ == "__main__":
    main()
