"""Scores, by song and part, and windows of them."""

from dataclasses import dataclass
from pathlib import Path

import numpy

DRUMS = 128
HEAD_S = 1.5
"""Notes that started this long before a window still sound in it."""


@dataclass
class Part:
    program: int
    is_named: bool
    """Whether the program reflects the composer's intention; some collections give every part the piano's number."""
    onset_s: numpy.ndarray
    duration_s: numpy.ndarray
    pitch: numpy.ndarray
    velocity: numpy.ndarray


class SongBook:
    def __init__(self, folder, split):
        self.songs = []
        for path in sorted(Path(folder).glob(f"*/scores.{split}.npz")):
            table = numpy.load(path)
            events, parts = table["events"], table["parts"]
            for number in range(len(table["names"])):
                own = [(program, events[start:end]) for song, program, start, end in parts if song == number and program != DRUMS]
                if own:
                    self.songs.append((len({program for program, _ in own}) > 1, own))

    def draw_window(self, seconds, dice):
        """The parts of a random section of a random song, with tempo and key changed; parts that rest there are left out."""
        for _ in range(50):
            is_named, parts = self._draw_song(dice)
            tempo, shift = dice.uniform(0.8, 1.25), dice.randint(-5, 7)
            end_s = max(float(events["onset_s"][-1]) for _, events in parts)
            start_s = dice.uniform(0, max(0.1, end_s - seconds * tempo))
            window = [self._cut(program, is_named, events, start_s, seconds, tempo, shift) for program, events in parts]
            window = [part for part in window if len(part.onset_s) >= 3]
            if window:
                return window
        raise RuntimeError("no song with notes")

    def _draw_song(self, dice):
        """Draws songs whose parts name their instruments as often as the others: they are fewer and have more parts."""
        wants_named = dice.random_sample() < 0.5
        fitting = [song for song in self.songs if song[0] == wants_named] or self.songs
        return fitting[dice.randint(len(fitting))]

    @staticmethod
    def _cut(program, is_named, events, start_s, seconds, tempo, shift):
        low, high = numpy.searchsorted(events["onset_s"], [start_s - HEAD_S * tempo, start_s + seconds * tempo])
        events = events[low:high]
        return Part(
            int(program), is_named, (events["onset_s"] - start_s) / tempo, events["duration_s"] / tempo,
            events["pitch"].astype(numpy.float32) + shift, events["velocity"] / numpy.float32(127),
        )
