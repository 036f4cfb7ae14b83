"""MIDI files → one table of note events a split, by song and part.

    python3 -m training.prepare.scores --list training/data/other-splitter.json --roots DIR --out DIR

Songs are split by name (a hash), so they never move. Files inside a game's WAD archive are found by their headers.
"""

import argparse
import io
import json
from bisect import bisect_right
from collections import defaultdict
from pathlib import Path

import mido
import numpy

from training.prepare.sources import load_data_list
from training.prepare.splits import hash_fraction

DRUMS = 128
LONGEST_S = 240.0
EVENT = numpy.dtype([("onset_s", "f4"), ("duration_s", "f4"), ("pitch", "u1"), ("velocity", "u1")])
STANDARD_PROGRAMS = {"MELODY": 73, "BRIDGE": 48, "PIANO": 0}
"""For files that name their parts but no programs."""


def read_parts(file):
    """{(track, channel, program): [(onset_s, duration_s, pitch, velocity)]} of a mido file, at its own tempos."""
    tempo_map, parts = tempo_changes(file), defaultdict(list)
    for number, track in enumerate(file.tracks):
        program = defaultdict(lambda: STANDARD_PROGRAMS.get(track.name.strip().upper(), 0))
        sounding, tick = {}, 0
        for message in track:
            tick += message.time
            if message.type == "program_change":
                program[message.channel] = message.program
            elif message.type in ("note_on", "note_off"):
                key = (message.channel, message.note)
                if key in sounding:
                    start, velocity, part = sounding.pop(key)
                    onset_s, end_s = seconds_at(tempo_map, start), seconds_at(tempo_map, tick)
                    parts[part].append((onset_s, end_s - onset_s, message.note, velocity))
                if message.type == "note_on" and message.velocity > 0:
                    played = DRUMS if message.channel == 9 else program[message.channel]
                    sounding[key] = (tick, message.velocity, (number, message.channel, played))
    return parts


def tempo_changes(file):
    """[(tick, its time in seconds, seconds per tick)]"""
    changes = sorted((tick, message.tempo) for track in file.tracks for tick, message in with_ticks(track) if message.type == "set_tempo")
    table, tick, seconds, rate = [(0, 0.0, 0.5 / file.ticks_per_beat)], 0, 0.0, 0.5 / file.ticks_per_beat
    for at, tempo in changes:
        seconds += (at - tick) * rate
        tick, rate = at, tempo / 1e6 / file.ticks_per_beat
        table.append((tick, seconds, rate))
    return table


def with_ticks(track):
    tick = 0
    for message in track:
        tick += message.time
        yield tick, message


def seconds_at(table, tick):
    start, seconds, rate = table[bisect_right(table, tick, key=lambda entry: entry[0]) - 1]
    return seconds + (tick - start) * rate


def midi_files(source, root):
    """(name, bytes) of every score of a source."""
    for pattern in source["include"]:
        for path in sorted(root.glob(pattern)):
            data = path.read_bytes()
            if path.suffix.lower() != ".wad":
                yield str(path.relative_to(root)), data
                continue
            count, table = int.from_bytes(data[4:8], "little"), int.from_bytes(data[8:12], "little")
            for at in range(table, table + 16 * count, 16):
                start, size = int.from_bytes(data[at : at + 4], "little"), int.from_bytes(data[at + 4 : at + 8], "little")
                if data[start : start + 4] == b"MThd":
                    yield data[at + 8 : at + 16].rstrip(b"\0").decode(), data[start : start + size]


def song_of(source, name, data):
    parts = read_parts(mido.MidiFile(file=io.BytesIO(data)))
    kept = [(key[2], sorted(event for event in events if event[0] < LONGEST_S)) for key, events in sorted(parts.items())]
    kept = [(program, events) for program, events in kept if len(events) >= 8]
    return {"name": f"{source['id']}/{name}", "parts": kept} if kept else None


def write_table(songs, path):
    """events: all notes, part by part; parts: [song, program, first event, end]."""
    events, parts = [], []
    for number, song in enumerate(songs):
        for program, part in song["parts"]:
            parts.append((number, program, len(events), len(events) + len(part)))
            events += part
    numpy.savez_compressed(path, events=numpy.array(events, EVENT), parts=numpy.array(parts, "i4"), names=numpy.array([song["name"] for song in songs]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", required=True)
    parser.add_argument("--roots", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    songs, seen = {"train": [], "held-out": []}, set()
    for source in load_data_list(options.list):
        if source["kind"] != "scores":
            continue
        for name, data in midi_files(source, options.roots / source["folder"]):
            if data in seen:
                continue
            seen.add(data)
            try:
                song = song_of(source, name, data)
            except (OSError, ValueError, EOFError, KeyError) as error:
                print("skipped", name, error)
                continue
            if song:
                split = "held-out" if hash_fraction(f"{source['id']}:{name}") < source["held_out_fraction"] else "train"
                songs[split].append(song)
    for split, found in songs.items():
        write_table(found, options.out / f"scores.{split}.npz")
    print(json.dumps({split: {"songs": len(found), "parts": sum(len(song["parts"]) for song in found)} for split, found in songs.items()}))


if __name__ == "__main__":
    main()
