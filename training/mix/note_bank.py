"""Recorded notes of all instruments: samples on the GPU, the tables that choose among them on the CPU."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy
import torch

OUT_OF_LAYER = 6.0
"""A layer at the other end of the loudness scale costs as much as a distance of six semitones."""


@dataclass
class Instrument:
    name: str
    stem: str
    articulation: str
    drive: str
    pitch: numpy.ndarray
    loudness: numpy.ndarray
    start: numpy.ndarray
    frames: numpy.ndarray

    @property
    def lowest(self):
        return int(self.pitch.min()) - 3

    @property
    def highest(self):
        return int(self.pitch.max()) + 4

    def choose(self, pitches, velocities, dice):
        """The recorded note for every event: close in pitch and loudness, random among close ones (round robin)."""
        distance = numpy.abs(pitches[:, None] - self.pitch) + OUT_OF_LAYER * numpy.abs(velocities[:, None] - self.loudness)
        return (distance + 1.5 * dice.random_sample(distance.shape)).argmin(1)


class NoteBank:
    def __init__(self, folder, device, split):
        self.folder = Path(folder)
        self.device = device
        self.split = split
        self.samples = torch.zeros(0, 2, dtype=torch.int16, device=device)
        self.instruments = {}
        self.known = set()

    def load_new(self):
        """Loads the packs of notes that have appeared; returns their names."""
        fresh = [ready.parent for ready in sorted(self.folder.glob("*/notes-ready")) if ready.parent not in self.known]
        for pack in fresh:
            self.known.add(pack)
            path = pack / f"{self.split}.npy"
            if not path.exists():
                continue
            before = len(self.samples)
            self.samples = torch.cat([self.samples, torch.from_numpy(numpy.load(path)).to(self.device)])
            for entry in json.loads((pack / f"{self.split}.json").read_text()):
                self._add(entry, before)
        return [pack.name for pack in fresh]

    def _add(self, entry, before):
        column = lambda name, kind: numpy.array([note[name] for note in entry["notes"]], kind)
        instrument = Instrument(
            entry["instrument"], entry["stem"], entry["articulation"], entry["drive"], column("pitch", numpy.float32),
            column("loudness", numpy.float32), column("start", numpy.int64) + before + entry["offset"], column("frames", numpy.int64),
        )
        self.instruments.setdefault(entry["stem"], []).append(instrument)

    def describe(self):
        """Instruments and minutes of recorded notes per stem."""
        minutes = lambda found: round(sum(int(one.frames.sum()) for one in found) / 44100 / 60, 1)
        return {stem: {"instruments": len(found), "minutes": minutes(found)} for stem, found in sorted(self.instruments.items())}
