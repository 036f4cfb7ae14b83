"""Songs with known beats, chords and keys, on a grid of beats → songs.npz for `mix/song_sheets`.

    python3 -m training.prepare.song_sheets --pop909 SOURCES/POP909 --library /usr/share/mma/lib --out PACK/songs.npz

POP909 gives melodies, piano arrangements, chords and keys. MMA (Musical MIDI Accompaniment) plays sections of their chord sequences in its styles:
drums, bass and chords in 4/4, 3/4, 6/8, 12/8 and 5/4. A tick is a 96th of a beat; in 6/8 and 12/8 a beat is a dotted quarter.
"""

import argparse
import lzma
import random
import re
import subprocess
import tempfile
from bisect import bisect_right
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import mido
import numpy

from training.prepare.splits import hash_fraction

TICKS = 96
DRUMS = 128
LETTERS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
QUALITIES = ("maj", "min", "7", "maj7", "min7", "dim", "aug", "sus4", "sus2")
MERGED = {"maj6": "maj", "min6": "min", "hdim7": "dim", "dim7": "dim", "minmaj7": "min", "sus4(b7)": "sus4", "maj9": "maj7", "min9": "min7", "9": "7"}
IN_MMA = {"maj": "", "min": "m", "7": "7", "maj7": "M7", "min7": "m7", "dim": "dim", "aug": "aug", "sus4": "sus4", "sus2": "sus2"}
NAMES = ("C", "Db", "D", "Eb", "E", "F", "Gb", "G", "Ab", "A", "Bb", "B")
DEGREES = {"1": 0, "2": 2, "b3": 3, "3": 4, "4": 5, "b5": 6, "5": 7, "#5": 8, "6": 9, "b7": 10, "7": 11, "b6": 8, "bb7": 9, "9": 2}
HELD_OUT = 0.07
BARS = 40
PARTS = {"MELODY": 200, "BRIDGE": 201, "PIANO": 0}
"""Programs above 199 name a role, not an instrument."""
SIGNATURES = {(4, 4): (4, 0), (3, 4): (3, 0), (2, 4): (2, 0), (5, 4): (5, 0), (6, 8): (2, 1), (12, 8): (4, 1)}
"""Beats in a bar, and whether a beat divides into three."""


def parse_root(name):
    return (LETTERS[name[0]] + name.count("#") - name[1:].count("b")) % 12


def parse_chord(label):
    """(root, quality, bass), or None for no chord."""
    if label in ("N", "X"):
        return None
    root, _, rest = label.partition(":")
    kind, _, degree = rest.partition("/")
    kind = MERGED.get(kind, kind)
    pitch = parse_root(root)
    return pitch, QUALITIES.index(kind) if kind in QUALITIES else 0, (pitch + DEGREES.get(degree, 0)) % 12


def rows_of(path):
    return [line.split() for line in path.read_text().splitlines() if line.strip()]


def find_beats(folder):
    """[(time, position in the bar)], beats in a bar, whether they divide into three."""
    table = [(float(time), float(second) == 1, float(first) == 1) for time, second, first in rows_of(folder / "beat_midi.txt")]
    bars = numpy.diff([at for at, row in enumerate(table) if row[2]])
    if len(bars) == 0:
        return None
    length = int(numpy.bincount(bars).argmax())
    if length == 6:
        strong = [at for at, row in enumerate(table) if row[1]]
        gap = numpy.median(numpy.diff([time for time, _, _ in table]))
        if not strong or int(numpy.median(numpy.diff(strong))) != 3:
            return None
        if gap < 0.4:
            table = [(time, True, one) for time, is_strong, one in table if is_strong]
            length, is_compound = 2, 1
        else:
            table = [(time, True, is_strong) for time, is_strong, _ in table]
            length, is_compound = 3, 0
    elif length == 4:
        is_compound = 0
    else:
        return None
    beats, place = [], 0
    for time, _, is_first in table:
        place = 0 if is_first else place + 1
        beats.append((time, place))
    return beats, length, is_compound


class Grid:
    """Seconds → ticks, by the times of beats; the grid goes on at its ends."""

    def __init__(self, times):
        self.times = times

    def at(self, seconds):
        times = self.times
        beat = min(max(bisect_right(times, seconds) - 1, 0), len(times) - 2)
        return round(TICKS * (beat + (seconds - times[beat]) / (times[beat + 1] - times[beat])))


def read_notes(path):
    """{track name: [(start s, end s, pitch, velocity)]}"""
    file, found = mido.MidiFile(path), {}
    tempo_map = []
    for track in file.tracks:
        tick = 0
        for message in track:
            tick += message.time
            if message.type == "set_tempo":
                tempo_map.append((tick, message.tempo))
    tempo_map.sort()
    table, tick, seconds, rate = [(0, 0.0, 0.5 / file.ticks_per_beat)], 0, 0.0, 0.5 / file.ticks_per_beat
    for at, tempo in tempo_map:
        seconds, tick, rate = seconds + (at - tick) * rate, at, tempo / 1e6 / file.ticks_per_beat
        table.append((tick, seconds, rate))
    starts = [entry[0] for entry in table]

    def seconds_at(tick):
        start, seconds, rate = table[bisect_right(starts, tick) - 1]
        return seconds + (tick - start) * rate

    for track in file.tracks:
        tick, sounding, notes = 0, {}, found.setdefault(track.name.strip(), [])
        for message in track:
            tick += message.time
            if message.type not in ("note_on", "note_off"):
                continue
            if message.note in sounding:
                start, velocity = sounding.pop(message.note)
                notes.append((seconds_at(start), seconds_at(tick), message.note, velocity))
            if message.type == "note_on" and message.velocity:
                sounding[message.note] = (tick, message.velocity)
    return found


def pop_song(folder, with_piano):
    found = find_beats(folder)
    if found is None:
        return None
    beats, length, is_compound = found
    first = next(at for at, (_, place) in enumerate(beats) if place == 0)
    beats = beats[first:]
    places = [place for _, place in beats]
    if sum(place == at % length for at, place in zip(range(len(places)), places)) < 2 or max(places) > 11:
        return None
    grid, count = Grid([time for time, _ in beats]), len(beats)
    parts = []
    for name, notes in read_notes(folder / f"{folder.name}.mid").items():
        if name not in PARTS or (name == "PIANO" and not with_piano):
            continue
        events = sorted((grid.at(start), max(6, grid.at(end) - grid.at(start)), pitch, velocity) for start, end, pitch, velocity in notes)
        parts.append((PARTS[name], [event for event in events if 0 <= event[0] < count * TICKS]))
    chords = []
    for start, end, label in rows_of(folder / "chord_midi.txt"):
        tick, stop = (round(grid.at(float(t)) / TICKS) * TICKS for t in (start, end))
        if stop > 0 and tick < stop:
            chords.append((max(0, tick), stop, parse_chord(label)))
    keys = []
    for start, end, label in rows_of(folder / "key_audio.txt"):
        tonic, mode = label.split(":")
        keys.append((grid.at(float(start)), grid.at(float(end)), parse_root(tonic) + 12 * (mode == "min")))
    return {"name": f"pop909/{folder.name}", "places": places, "length": length, "compound": is_compound, "parts": parts, "chords": chords, "keys": keys}


def mma_chord(chord):
    if chord is None:
        return "z"
    root, quality, bass = chord
    return NAMES[root] + IN_MMA[QUALITIES[quality]] + (f"/{NAMES[bass]}" if bass != root else "")


def chord_at(song, tick):
    return next((chord for start, end, chord in song["chords"] if start <= tick < end), None)


def sheet_of(song, style, groove, beats, dice):
    """An MMA sheet of a section of the song's chords, and those chords on the sheet's beats: two a bar at most where bars are not alike."""
    firsts = [at for at, place in enumerate(song["places"]) if place == 0]
    bars = len(firsts)
    start = dice.randrange(0, max(1, bars - BARS))
    lines, rows = ["RndSeed 1", "Tempo 100", f"Use {style}", f"Groove {groove}"], []
    every = 4 if song["length"] == 4 and beats == 4 else 2
    for bar in range(min(BARS, bars - start)):
        base, words, last = firsts[start + bar] * TICKS, [], "?"
        for part in range(every):
            chord = chord_at(song, base + part * song["length"] * TICKS // every)
            if beats % every and part:
                continue
            if part == 0 or chord != last:
                at = beats / every * part
                words.append(mma_chord(chord) + (f"@{at + 1:g}" if part else ""))
                rows.append((bar * beats + at, chord))
                last = chord
        lines.append(f"{bar + 1} " + " ".join(words))
    used = min(BARS, bars - start)
    is_regular = all(firsts[start + bar] == firsts[start] + bar * song["length"] for bar in range(used))
    return "\n".join(lines) + "\n", rows, used, firsts[start] * TICKS if is_regular else None


def ticks_of(file):
    """(program, [(start, end, pitch, velocity)]) of every track, in the file's ticks."""
    for track in file.tracks:
        tick, program, sounding, notes, channel = 0, 0, {}, [], 0
        for message in track:
            tick += message.time
            if message.type == "program_change":
                program = message.program
            if message.type not in ("note_on", "note_off"):
                continue
            channel = message.channel
            if message.note in sounding:
                start, velocity = sounding.pop(message.note)
                notes.append((start, tick, message.note, velocity))
            if message.type == "note_on" and message.velocity:
                sounding[message.note] = (tick, message.velocity)
        if notes:
            yield (DRUMS if channel == 9 else program), notes


def play_sheet(text, folder):
    (folder / "song.mma").write_text(text)
    made = subprocess.run(["mma", "-f", str(folder / "song.mid"), str(folder / "song.mma")], capture_output=True, text=True)
    return mido.MidiFile(folder / "song.mid") if made.returncode == 0 else None


def style_song(style, groove, songs, dice):
    song = dice.choice(songs)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        probe = play_sheet(f"RndSeed 1\nTempo 60\nUse {style}\nGroove {groove}\n" + "".join(f"{bar + 1} C\n" for bar in range(8)), folder)
        if probe is None:
            return None
        signs = [message for message in probe.tracks[0] if message.type == "time_signature"]
        sign = (signs[0].numerator, signs[0].denominator) if signs else (4, 4)
        quarters = round(probe.length / 8)
        if sign not in SIGNATURES:
            return None
        beats, is_compound = SIGNATURES[sign]
        if not is_compound and quarters != beats:
            return None
        text, rows, bars, base = sheet_of(song, style, groove, quarters, dice)
        file = play_sheet(text, folder)
        if file is None:
            return None
    scale = TICKS * beats / (quarters * file.ticks_per_beat)
    parts = []
    for program, notes in ticks_of(file):
        events = sorted((round(scale * start), max(4, round(scale * (end - start))), pitch, velocity) for start, end, pitch, velocity in notes)
        parts.append((program, events))
    ends = [row[0] for row in rows[1:]] + [bars * quarters]
    stretch = TICKS * beats / quarters
    chords = [(round(at * stretch), round(end * stretch), chord) for (at, chord), end in zip(rows, ends)]
    keys = [(0, bars * beats * TICKS, song["keys"][0][2])] if len(song["keys"]) == 1 else []
    if song["length"] == 4 and beats == 4 and not is_compound and base is not None:
        melody = [(at - base, length, pitch, velocity) for program, events in song["parts"] if program == 200 for at, length, pitch, velocity in events]
        parts.append((200, [event for event in melody if 0 <= event[0] < bars * 4 * TICKS]))
    return {
        "name": f"mma/{style}/{groove}", "places": [at % beats for at in range(bars * beats)], "length": beats, "compound": is_compound, "parts": [part for part in parts if part[1]],
        "chords": chords, "keys": keys,
    }


def split_of(name):
    return "held-out" if hash_fraction(name) < HELD_OUT else "train"


def mma_songs(library, songs, count):
    jobs = []
    for path in sorted(library.glob("*/*.mma")):
        grooves = re.findall(r"^\s*DefGroove\s+(\S+)", path.read_text(errors="replace"), re.MULTILINE)
        grooves = [one for one in grooves if not re.search(r"intro|end", one, re.IGNORECASE)]
        style = f"{path.parent.name}/{path.stem}"
        dice = random.Random(style)
        own = [song for song in songs if split_of(song["name"]) == split_of(f"mma/{style}")]
        jobs += [(style, dice.choice(grooves), own, random.Random(f"{style}{number}")) for number in range(count) if grooves]
    with ThreadPoolExecutor(2) as pool:
        made = pool.map(lambda job: (job[0], style_song(*job)), jobs)
        return [(f"mma/{style}", song) for style, song in made if song is not None]



def to_table(songs):
    """Columns of plain numbers; onsets as differences, which compress better."""
    parts = [(number, *part) for number, song in enumerate(songs) for part in song["parts"]]
    events = [event for _, _, own in parts for event in own]
    onset = numpy.array([event[0] for event in events], "i4")
    chords = [(number, start, end, *(chord or (255, 0, 255))) for number, song in enumerate(songs) for start, end, chord in song["chords"]]
    keys = [(number, *key) for number, song in enumerate(songs) for key in song["keys"]]
    return {
        "song": numpy.array([(len(song["places"]), song["length"], song["compound"]) for song in songs], "i4"),
        "place": numpy.array([place for song in songs for place in song["places"]], "u1"),
        "part": numpy.array([(number, program, len(own)) for number, program, own in parts], "i4"),
        "step": numpy.diff(onset, prepend=0).astype("i4"), "duration": numpy.array([min(event[1], 65535) for event in events], "u2"),
        "pitch": numpy.array([event[2] for event in events], "u1"), "velocity": numpy.array([event[3] for event in events], "u1"),
        "chord": numpy.array(chords, "i4"), "key": numpy.array(keys, "i4").reshape(-1, 4), "name": numpy.array([song["name"] for song in songs]),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pop909", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=4)
    parser.add_argument("--most", type=int, default=909)
    options = parser.parse_args()
    folders = sorted(folder for folder in options.pop909.iterdir() if folder.is_dir())[: options.most]
    pop = [song for folder in folders if (song := pop_song(folder, hash_fraction(f"piano/{folder.name}") < 0.6))]
    print(len(pop), "songs of", len(folders), flush=True)
    entries = [(song["name"], song) for song in pop] + mma_songs(options.library, pop, options.count)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    tables = {}
    for split in ("train", "held-out"):
        chosen = [song for name, song in entries if split_of(name) == split]
        table = to_table(chosen)
        tables |= {f"{split}.{name}": value for name, value in table.items()}
        print(split, len(chosen), "songs", len(table["step"]), "notes", flush=True)
    with lzma.open(options.out.with_suffix(".npz.xz"), "wb", preset=9) as file:
        numpy.savez(file, **tables)
    print(options.out.with_suffix(".npz.xz").stat().st_size)


if __name__ == "__main__":
    main()
