"""The drums and the bass of MIDI songs as recordings, played by FluidSynth: what stands beside `other` in a song.

    python3 -m training.prepare.backing --songs SOURCES/mma-songs --soundfonts A.sf2 B.sf2 --out SOURCES/mma-backing
"""

import argparse
import subprocess
import tempfile
from pathlib import Path

import mido

DRUM_CHANNEL = 9
BASS_PROGRAMS = range(32, 40)


def programs_of(song):
    """{channel: its first program}."""
    found = {}
    for message in song:
        if message.type == "program_change":
            found.setdefault(message.channel, message.program)
    return found


def keep_channels(song, channels):
    """The song with only the notes of these channels, or None if they have none."""
    kept = mido.MidiFile(ticks_per_beat=song.ticks_per_beat)
    has_notes = False
    for track in song.tracks:
        part, waited = mido.MidiTrack(), 0
        for message in track:
            waited += message.time
            if message.is_meta or message.channel in channels:
                part.append(message.copy(time=waited))
                waited = 0
                has_notes |= message.type == "note_on"
        kept.tracks.append(part)
    return kept if has_notes else None


def play(song, soundfont, path):
    with tempfile.NamedTemporaryFile(suffix=".mid") as file:
        song.save(file.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["fluidsynth", "-niq", "-g", "0.5", "-r", "44100", "-F", path, soundfont, file.name], check=True, stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--songs", type=Path, required=True)
    parser.add_argument("--soundfonts", nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    for number, path in enumerate(sorted(options.songs.glob("*.mid"))):
        song = mido.MidiFile(path)
        bass = {channel for channel, program in programs_of(song).items() if program in BASS_PROGRAMS and channel != DRUM_CHANNEL}
        for role, channels in (("drums", {DRUM_CHANNEL}), ("bass", bass)):
            kept = keep_channels(song, channels)
            if kept:
                play(kept, options.soundfonts[number % len(options.soundfonts)], options.out / role / f"{path.stem}.wav")


if __name__ == "__main__":
    main()
