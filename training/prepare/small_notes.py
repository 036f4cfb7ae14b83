"""Single notes and drum sounds at 22,050 Hz, mono, small enough to travel beside the tree → a pack for `mix/small_bank`; the songs of `song_sheets` go with it.

    python3 -m training.prepare.small_notes --list training/data/music-analysis.json --roots SOURCES --songs PACKS/songs.npz.xz --out PACKS/music-0.tar

Presets of soundfonts are played by FluidSynth without reverb or chorus; drum kits of Hydrogen are read from their files.
"""

import argparse
import io
import json
import subprocess
import tarfile
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import mido
import numpy
import soundfile

RATE_HZ = 22050
SLOT_S = 4.0
SILENCE = 10 ** (-50 / 20)
LONGEST_S = {"pluck": 1.9, "sustain": 2.4, "drums": 1.2}
VELOCITY = 96
PITCH_STEP = 7
KIT = (36, 35, 38, 40, 37, 39, 42, 44, 46, 49, 51, 53, 41, 45, 48, 54, 56, 60, 62, 63, 64, 70, 75, 81)
"""Numbers of General MIDI: kicks, snares, stick, clap, hats, cymbals, toms, small percussion."""
WORDS = (
    ("kick", 36), ("bass drum", 36), ("bd", 36), ("side", 37), ("stick", 37), ("rim", 37), ("clap", 39), ("snare", 38), ("sd", 38), ("pedal", 44),
    ("open", 46), ("hh o", 46), ("closed", 42), ("hat", 42), ("hh", 42), ("hihat", 42), ("crash", 49), ("ride", 51), ("cymbal", 49), ("low tom", 41),
    ("tom", 45), ("cow", 56), ("shake", 70), ("tamb", 54), ("conga", 63), ("bongo", 60), ("clave", 75), ("triangle", 81),
)  # fmt: skip


def score_of(bank, program, pitches, channel, held_s):
    ticks = 480  # a beat of 0.5 s, mido's default tempo
    track = mido.MidiTrack([mido.Message("control_change", control=0, value=bank, channel=channel, time=0)])
    track.append(mido.Message("program_change", program=program, channel=channel, time=0))
    held = int(held_s * 2 * ticks)
    for pitch in pitches:
        track.append(mido.Message("note_on", note=pitch, velocity=VELOCITY, channel=channel, time=0))
        track.append(mido.Message("note_off", note=pitch, channel=channel, time=held))
        track.append(mido.Message("note_off", note=0, channel=channel, time=int(SLOT_S * 2 * ticks) - held))
    return mido.MidiFile(ticks_per_beat=ticks, tracks=[track])


def play(bank, score, count):
    with tempfile.TemporaryDirectory() as folder:
        score.save(f"{folder}/notes.mid")
        options = ["-ni", "-q", "-R", "0", "-C", "0", "-g", "0.5", "-r", str(RATE_HZ), "-O", "s16", "-T", "raw", "-F", f"{folder}/notes.raw"]
        subprocess.run(["fluidsynth", *options, str(bank), f"{folder}/notes.mid"], check=True, capture_output=True)
        sound = numpy.fromfile(f"{folder}/notes.raw", numpy.int16).reshape(-1, 2).mean(1) / 32768
    slot = int(SLOT_S * RATE_HZ)
    return [sound[number * slot : (number + 1) * slot] for number in range(count)]


def trim(sound, longest_s):
    """From the onset to where the sound has decayed, at a peak of 0.7."""
    if len(sound) == 0 or (peak := numpy.abs(sound).max()) < 1e-3:
        return None
    loud = numpy.abs(sound)
    first = max(0, int(numpy.argmax(loud > 0.05 * peak)) - 22)
    last = len(sound) - int(numpy.argmax(loud[::-1] > SILENCE * peak))
    piece = sound[first : min(last, first + int(longest_s * RATE_HZ))] * (0.7 / peak)
    if len(piece) < 300:
        return None
    fade = min(len(piece) // 4, RATE_HZ // 8)
    piece[-fade:] *= numpy.linspace(1, 0, fade)
    return piece.astype(numpy.float32)


def to_rate(sound, rate_hz):
    if rate_hz == RATE_HZ:
        return sound
    frames = round(len(sound) * RATE_HZ / rate_hz)
    spectrum = numpy.fft.rfft(sound)
    wanted = numpy.zeros(frames // 2 + 1, complex)
    kept = min(len(wanted), len(spectrum))
    wanted[:kept] = spectrum[:kept]
    return numpy.fft.irfft(wanted, frames) * (frames / len(sound))


def number_of(name):
    name = name.lower().replace("_", " ")
    return next((number for word, number in WORDS if word in name), None)


def hydrogen_kit(folder):
    """[(General MIDI number, samples)] of a Hydrogen drum kit: the loudest layer of the first instrument of each number."""
    strip = lambda tag: tag.rsplit("}", 1)[-1]
    found = {}
    for node in ElementTree.parse(folder / "drumkit.xml").iter():
        if strip(node.tag) != "instrument":
            continue
        name = next((child.text or "" for child in node if strip(child.tag) == "name"), "")
        files = [child.text for child in node.iter() if strip(child.tag) == "filename" and child.text]
        number = number_of(name)
        if number is None and files:
            number = number_of(files[-1])
        if number is None or number in found or not files or not (folder / files[-1]).exists():
            continue
        sound, rate_hz = soundfile.read(str(folder / files[-1]), always_2d=True, stop=48000 * 3)
        found[number] = to_rate(sound.mean(1), rate_hz)
    return sorted(found.items())


def instruments_of(source, root):
    """(name, program, kind, [(pitch, samples)])"""
    if source["kind"] == "hydrogen":
        for kit in source["kits"]:
            yield f"{source['id']}-{kit}", 128, "drums", hydrogen_kit(root / source["path"] / kit)
        return
    bank = root / source["file"]
    for program in source.get("drums", []):
        number, preset_bank, channel = (program, 0, 9) if not source.get("drums_in_bank_0") else (program, 0, 0)
        yield f"{source['id']}-kit-{program}", 128, "drums", list(zip(KIT, play(bank, score_of(preset_bank, number, KIT, channel, 1.0), len(KIT))))
    for kind, low, high in (("pluck", 36, 92), ("sustain", 36, 92), ("bass", 26, 61)):
        for program in source.get(kind, []):
            pitches = list(range(low, high, PITCH_STEP))
            played = play(bank, score_of(0, program, pitches, 0, 2.4), len(pitches))
            yield f"{source['id']}-{program}", program, "pluck" if kind == "bass" else kind, list(zip(pitches, played))


def to_strip(kind, sounds):
    pieces, table, at = [], [], 0
    for pitch, sound in sounds:
        piece = trim(sound, LONGEST_S[kind])
        if piece is not None:
            table.append((pitch, at, len(piece)))
            pieces += [piece, numpy.zeros(128, numpy.float32)]
            at += len(piece) + 128
    return (numpy.concatenate(pieces), table) if table else (None, [])


def encode(samples):
    """Ogg Vorbis; libsndfile takes long arrays in pieces only."""
    file = io.BytesIO()
    with soundfile.SoundFile(file, "w", RATE_HZ, 1, "VORBIS", format="OGG") as target:
        for at in range(0, len(samples), 8192):
            target.write(samples[at : at + 8192])
    return file.getvalue()


def add(tar, name, data):
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    tar.addfile(entry, io.BytesIO(data))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", type=Path, required=True)
    parser.add_argument("--roots", type=Path, required=True)
    parser.add_argument("--songs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    table, seconds = [], 0.0
    with tarfile.open(options.out, "w") as tar:
        for source in json.loads(options.list.read_text())["sources"]:
            if source["kind"] not in ("soundfont", "hydrogen"):
                continue
            for name, program, kind, sounds in instruments_of(source, options.roots / source["folder"]):
                samples, notes = to_strip(kind, sounds)
                if samples is None:
                    print("nothing in", name)
                    continue
                add(tar, f"{len(table):03d}.ogg", data := encode(samples))
                table.append({"name": name, "program": program, "kind": kind, "split": source["split"], "notes": notes})
                seconds += len(samples) / RATE_HZ
                print(f"{name:40s} {len(notes):3d} {len(samples) / RATE_HZ:6.1f} s {len(data) / 1024:6.0f} KiB", flush=True)
        add(tar, "notes.json", json.dumps(table).encode())
        add(tar, "songs.npz.xz", options.songs.read_bytes())
    print(len(table), "instruments", round(seconds), "s", options.out.stat().st_size)


if __name__ == "__main__":
    main()
