"""Examples for the music analyser: worker processes arrange songs, this process renders and mixes them on the GPU and keeps their features.

An example is drawn several times: what the workers can make limits how many are new.
"""

import multiprocessing
import os
from pathlib import Path

import numpy
import torch

from training.mix.arrangement import BEAT_FRAMES, CHORD_FRAMES, RATE_HZ, SECONDS, Arranger
from training.mix.render_mono import mix_buses, render_mono
from training.mix.sheet_book import read_songs
from training.mix.small_bank import SmallBank
from training.networks.music_analyser import BEAT_BANDS, CHORD_BANDS, Features

SENT_AT_ONCE = 4
ARRANGER = {}


def find_packs(folder):
    """(notes folder, songs file) below a folder."""
    return next(Path(folder).glob("**/notes.json")).parent, next(Path(folder).glob("**/songs.npz.xz"))


def draw_some(_):
    return [ARRANGER["own"].draw() for _ in range(SENT_AT_ONCE)]


def start_worker(songs, bank, seed, number):
    with number.get_lock():
        number.value += 1
        own = number.value
    torch.set_num_threads(1)
    ARRANGER["own"] = Arranger(songs, bank, numpy.random.RandomState(seed + own))


class AnalysisPools:
    """The notes and the songs of a split."""

    def __init__(self, folder, device, sources):
        self.folder, self.device = Path(folder), device
        self.songs, self.bank = [], None

    def load_new(self):
        if self.bank is None:
            self.load("train")
            yield self.folder.name

    def load(self, split):
        notes, songs = find_packs(self.folder)
        self.songs, self.bank = read_songs(songs, split), SmallBank(notes, split, with_synths=split == "train")

    def describe(self):
        if self.bank is None:
            return {}
        return {"songs": len(self.songs), "instruments": len(self.bank.instruments), "minutes": round(self.bank.frames / RATE_HZ / 60, 1)}


def to_targets(examples, device):
    stack = lambda name: torch.from_numpy(numpy.stack([getattr(one, name) for one in examples])).to(device)
    metres = torch.tensor([one.metre for one in examples], dtype=torch.int8, device=device)
    return {"beat": stack("beat"), "chord": stack("chord"), "key": stack("key"), "metre": metres}


class ExampleSource:
    def __init__(self, pools, room=24000, fresh=32, workers=None):
        self.pools, self.device, self.fresh = pools, pools.device, fresh
        self.samples = torch.from_numpy(pools.bank.samples).to(self.device)
        self.features = Features().to(self.device)
        self.room, self.filled, self.made = room, 0, 0
        empty = lambda *shape, kind: torch.empty(room, *shape, dtype=kind, device=self.device)
        self.beats, self.chords = empty(BEAT_FRAMES, BEAT_BANDS, kind=torch.float16), empty(CHORD_FRAMES, CHORD_BANDS, kind=torch.float16)
        byte = torch.int8
        self.targets = {"beat": empty(BEAT_FRAMES, kind=byte), "chord": empty(CHORD_FRAMES, 3, kind=byte), "key": empty(CHORD_FRAMES, kind=byte), "metre": empty(kind=byte)}
        context = multiprocessing.get_context("fork")
        count = workers or max(1, (os.cpu_count() or 2) - 2)
        self.workers = context.Pool(count, start_worker, (pools.songs, pools.bank, 1000, context.Value("i", 0)))
        self.arriving = self.workers.imap_unordered(draw_some, range(10**9))
        self.pending = []

    def fetch(self, count):
        """`count` new examples, as soon as they are there."""
        while len(self.pending) < count:
            self.pending += self.arriving.next()
        taken, self.pending = self.pending[:count], self.pending[count:]
        return taken

    def poll(self):
        """Collects what the workers have finished, without waiting."""
        while len(self.pending) < self.fresh:
            try:
                self.pending += self.arriving.next(0.0005)
            except multiprocessing.TimeoutError:
                return

    @torch.no_grad()
    def render(self, examples):
        sound = mix_buses(render_mono(self.samples, [one.notes for one in examples], SECONDS * RATE_HZ))
        sound = sound * 10 ** (4 * torch.randn(len(examples), 1, device=self.device) / 20)
        return self.features(sound)

    def add(self, examples):
        beats, chords = self.render(examples)
        targets = to_targets(examples, self.device)
        place = (torch.arange(len(examples), device=self.device) + self.made) % self.room
        self.beats[place], self.chords[place] = beats.half(), chords.half()
        for name, value in targets.items():
            self.targets[name][place] = value
        self.made += len(examples)
        self.filled = min(self.room, self.made)

    def draw(self, batch):
        while self.filled < 4 * batch:
            self.add(self.fetch(min(self.fresh, self.room)))
        self.poll()
        if len(self.pending) >= self.fresh:
            self.add(self.fetch(self.fresh))
        pick = torch.randint(self.filled, (batch,), device=self.device)
        return (self.beats[pick].float(), self.chords[pick].float()), {name: value[pick] for name, value in self.targets.items()}
