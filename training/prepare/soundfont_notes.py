"""Single notes of a General MIDI soundfont's presets, played by FluidSynth without reverb or chorus → strips as in `notes`. Patches that a TiMidity
configuration names are played by TiMidity.

    python3 -m training.prepare.soundfont_notes --list training/data/other-splitter.json --roots DIR --out DIR [--only INSTRUMENT]

A data list names presets under a source of kind `soundfont`: [program, instrument name, stem, articulation, lowest and highest pitch].
"""

import argparse
import subprocess
import tempfile
from pathlib import Path

import mido
import numpy

from training.prepare.notes import LONGEST_S, RATE_HZ, join_notes, trim, write_strip
from training.prepare.sources import load_data_list

HELD_S = {"sustain": 2.6, "pluck": 2.2, "short": 0.25}
SLOT_S = 3.5
VELOCITIES = {"sustain": (55, 105), "pluck": (45, 85, 120), "short": (60, 110)}
PITCH_STEP = 5


def score_of(program, articulation, low, high):
    """A MIDI file that plays the notes in sequence, and [(pitch, loudness)] in that order."""
    ticks = 480  # a beat of 0.5 s, mido's default tempo
    track, played = mido.MidiTrack([mido.Message("program_change", program=program, time=0)]), []
    held = int(HELD_S[articulation] * 2 * ticks)
    for pitch in range(low, high + 1, PITCH_STEP):
        for velocity in VELOCITIES[articulation]:
            track.append(mido.Message("note_on", note=pitch, velocity=velocity, time=0))
            track.append(mido.Message("note_off", note=pitch, time=held))
            track.append(mido.Message("note_off", note=0, time=int(SLOT_S * 2 * ticks) - held))
            played.append((pitch, velocity / 127))
    return mido.MidiFile(ticks_per_beat=ticks, tracks=[track]), played


def play_command(bank, patches, score, raw):
    """The command that renders a score as 16-bit stereo. `patches` is the folder of the package whose files a configuration names."""
    if bank.suffix != ".cfg":
        return ["fluidsynth", "-ni", "-q", "-R", "0", "-C", "0", "-g", "0.6", "-r", str(RATE_HZ), "-O", "s16", "-T", "raw", "-F", raw, str(bank), score]
    dry = ["-EFreverb=0", "-EFchorus=0", "-EFdelay=0"]
    return ["timidity", "-c", str(bank), "-L", str(patches), *dry, "-s", str(RATE_HZ), "-Or1Ssl", "-o", raw, score]


def play(bank, patches, score):
    with tempfile.TemporaryDirectory() as folder:
        score.save(f"{folder}/notes.mid")
        subprocess.run(play_command(bank, patches, f"{folder}/notes.mid", f"{folder}/notes.raw"), check=True, capture_output=True)
        return numpy.fromfile(f"{folder}/notes.raw", numpy.int16).reshape(-1, 2).astype(numpy.float32) / 32768


def make_strip(bank, patches, preset, channels):
    program, _, _, articulation, low, high = preset
    score, played = score_of(program, articulation, low, high)
    sound = play(bank, patches, score)
    sound = sound if channels == 2 else sound.mean(axis=1, keepdims=True)
    slot = int(SLOT_S * RATE_HZ)
    slots = (sound[number * slot : (number + 1) * slot] for number in range(len(played)))
    return join_notes((pitch, loudness, trim(piece, LONGEST_S[articulation])) for (pitch, loudness), piece in zip(played, slots))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", required=True)
    parser.add_argument("--roots", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    for source in load_data_list(options.list):
        if source["kind"] != "soundfont":
            continue
        for preset in source["presets"]:
            _, name, stem, articulation, _, _ = preset
            instrument = {"id": f"{source['id']}-{name}", "stem": stem, "articulation": articulation, "split": source["split"]}
            done = options.out / "strips" / source["split"] / f"{instrument['id']}.json"
            if options.only in instrument["id"] and not done.exists():
                root = options.roots / source["folder"]
                strip = make_strip(root / source["file"], root / source.get("patches", ""), preset, source.get("channels", 1))
                write_strip(instrument, source, *strip, options.out)


if __name__ == "__main__":
    main()
