"""Songs on a grid of beats, as `prepare/song_sheets` writes them, and songs made up on the spot."""

import lzma
from dataclasses import dataclass, field

import numpy

TICKS = 96
QUALITIES = ("maj", "min", "7", "maj7", "min7", "dim", "aug", "sus4", "sus2")
TONES = ((0, 4, 7), (0, 3, 7), (0, 4, 7, 10), (0, 4, 7, 11), (0, 3, 7, 10), (0, 3, 6), (0, 4, 8), (0, 5, 7), (0, 2, 7))
NONE = 255
MAJOR_STEPS = ((0, 0), (2, 1), (4, 1), (5, 0), (7, 0), (9, 1), (10, 0), (5, 1), (2, 0), (8, 0))
MINOR_STEPS = ((0, 1), (3, 0), (5, 1), (7, 1), (8, 0), (10, 0), (7, 0), (5, 0), (2, 5))
MAJOR_CHANCES = (0.26, 0.1, 0.06, 0.2, 0.2, 0.13, 0.02, 0.015, 0.01, 0.005)
MINOR_CHANCES = (0.28, 0.12, 0.14, 0.09, 0.16, 0.13, 0.05, 0.02, 0.01)
METRES = ((4, 0, 0.56), (3, 0, 0.14), (2, 1, 0.12), (4, 1, 0.07), (5, 0, 0.03), (7, 0, 0.03), (2, 0, 0.05))
"""Beats in a bar, whether they divide into three, and how often."""


@dataclass
class Sheet:
    """A song: `places` are positions in the bar of every beat; chords [n, 5] start, end, root, quality, bass; keys [n, 3] start, end, key."""

    name: str
    places: numpy.ndarray
    length: int
    compound: int
    chords: numpy.ndarray
    keys: numpy.ndarray
    parts: list = field(default_factory=list)
    """(program, onsets, durations, pitches, velocities)"""


def read_songs(path, split):
    with lzma.open(path) as file:
        table = numpy.load(file)
        get = {name.split(".", 1)[1]: table[name] for name in table.files if name.startswith(f"{split}.")}
    onset = numpy.cumsum(get["step"])
    note_ends, place_ends = numpy.cumsum(get["part"][:, 2]), numpy.cumsum(get["song"][:, 0])
    songs = []
    for number, (beats, length, compound) in enumerate(get["song"]):
        own = lambda name: get[name][get[name][:, 0] == number][:, 1:]
        songs.append(Sheet(str(get["name"][number]), get["place"][place_ends[number] - beats : place_ends[number]], int(length), int(compound), own("chord"), own("key")))
    for (number, program, count), end in zip(get["part"], note_ends):
        rows = slice(end - count, end)
        songs[number].parts.append((int(program), onset[rows], get["duration"][rows].astype("i4"), get["pitch"][rows].astype("i4"), get["velocity"][rows]))
    return songs


def invented_song(dice):
    """Sixty bars over one or two progressions in one key (or two), without notes: the arrangement plays its chords."""
    length, compound, _ = METRES[dice.choice(len(METRES), p=[chance for _, _, chance in METRES])]
    minor, tonic, bars = int(dice.random_sample() < 0.42), int(dice.randint(12)), 60
    has_sevenths, second_key = dice.random_sample() < 0.25, dice.random_sample() < 0.12

    def progression():
        steps, chances = ((MINOR_STEPS, MINOR_CHANCES) if minor else (MAJOR_STEPS, MAJOR_CHANCES))
        count = dice.choice((2, 4, 4, 4, 8))
        rhythm = dice.choice((0.5, 1, 1, 1, 2)) if length % 2 == 0 else dice.choice((1, 1, 2))
        picked = [0 if at == 0 and dice.random_sample() < 0.6 else dice.choice(len(steps), p=chances) for at in range(count)]
        rows = []
        for at in picked:
            step, quality = steps[at]
            if has_sevenths and dice.random_sample() < 0.7:
                quality = {0: 2 if step == 7 or dice.random_sample() < 0.1 else 3, 1: 4}.get(quality, quality)
            elif dice.random_sample() < 0.06:
                quality = (7, 8, 2, 6)[dice.randint(4)] if quality == 0 else (5, 4)[dice.randint(2)]
            bass = TONES[quality][dice.randint(1, 3)] if dice.random_sample() < 0.08 else 0
            rows.append((step, quality, bass))
        return rows, rhythm

    sections, chords, keys, at, key_start = (progression(), progression()), [], [], 0, 0
    end = bars * length * TICKS
    while at < end:
        rows, rhythm = sections[(at // (8 * length * TICKS)) % 2]
        for step, quality, bass in rows:
            stop = min(end, at + int(rhythm * length * TICKS))
            root = (tonic + step) % 12
            chords.append((at, stop, root, quality, (root + bass) % 12))
            at = stop
        if second_key and at > end // 2 and key_start == 0:
            keys.append((0, at, tonic + 12 * minor))
            tonic, key_start = (tonic + int(dice.choice((1, 2, 2, 3, 5, 7)))) % 12, at
    keys.append((key_start, end, tonic + 12 * minor))
    return Sheet("invented", numpy.arange(bars * length) % length, length, compound, numpy.array(chords), numpy.array(keys))
