"""Speakers on the GPU and random windows of their speech, mono at 16 kHz, or at 48 kHz for the speech cleaner."""

import json
from pathlib import Path

import numpy
import torch

LONGEST_THAT_COUNTS_S = 120
RATE_HZ = 16000


class VoicePool:
    """Reels end to end in one int16 tensor [frames]; each belongs to a speaker."""

    def __init__(self, device, rate_hz=RATE_HZ):
        self.device, self.rate_hz = device, rate_hz
        self.samples = torch.zeros(0, dtype=torch.int16, device=device)
        self.starts, self.lengths, self.owners, self.weights = [], [], [], []
        self.speakers = {}

    @property
    def seconds(self):
        return len(self.samples) / self.rate_hz

    def add(self, samples, lengths, speakers, weights):
        ends = numpy.cumsum(lengths) + len(self.samples)
        self.starts += (ends - numpy.asarray(lengths)).tolist()
        self.lengths += list(lengths)
        self.owners += [self.speakers.setdefault(speaker, len(self.speakers)) for speaker in speakers]
        self.weights += list(weights)
        self.samples = torch.cat([self.samples, torch.from_numpy(samples).to(self.device)])
        self._index()

    def _index(self):
        """A speaker is drawn in proportion to the square root of their speech's length, up to two minutes."""
        tensor = lambda values, kind: torch.tensor(values, dtype=kind, device=self.device)
        self.start, self.length, self.owner = (tensor(values, torch.int64) for values in (self.starts, self.lengths, self.owners))
        lengths, owners = numpy.asarray(self.lengths, float), numpy.asarray(self.owners)
        spoken_s = numpy.bincount(owners, lengths) / self.rate_hz
        weight = numpy.bincount(owners, lengths * numpy.asarray(self.weights)) / numpy.bincount(owners, lengths)
        self.chances = tensor(weight * numpy.sqrt(numpy.minimum(spoken_s, LONGEST_THAT_COUNTS_S)), torch.float32)
        order = numpy.argsort(owners, kind="stable")
        self.reel_order = tensor(order, torch.int64)
        self.first_reel = tensor(numpy.searchsorted(owners[order], numpy.arange(len(spoken_s))), torch.int64)
        self.reel_count = tensor(numpy.bincount(owners), torch.int64)

    def draw_speakers(self, rows, each):
        """Different speakers per row: [rows, each]."""
        return torch.multinomial(self.chances.expand(rows, -1), each)

    def draw(self, speakers, frames, rates):
        """float32 [count, frames] of the given speakers [count], read at `rates` (1 = as recorded) by cubic interpolation; a reel that ends is looped."""
        count = len(speakers)
        nth = (torch.rand(count, device=self.device) * self.reel_count[speakers]).long()
        reel = self.reel_order[self.first_reel[speakers] + nth]
        length = self.length[reel][:, None]
        offset = (torch.rand(count, 1, device=self.device) * length).long()
        position = torch.arange(frames, device=self.device, dtype=torch.float32) * rates[:, None]
        whole = position.long()
        t = position - whole
        at = lambda k: self.samples[self.start[reel][:, None] + (offset + whole + k) % length].float()
        p0, p1, p2, p3 = at(0), at(1), at(2), at(3)
        a = 0.5 * (3 * (p1 - p2) + p3 - p0)
        b = p0 - 2.5 * p1 + 2 * p2 - 0.5 * p3
        c = 0.5 * (p2 - p0)
        return (((a * t + b) * t + c) * t + p1) / 32768


class VoicePools:
    """All roles of a split; packs may be added while training runs."""

    rate_hz = RATE_HZ

    def __init__(self, folder, device, sources=(), split="train"):
        self.folder, self.device, self.split = Path(folder), device, split
        self.families = {source["id"]: source.get("split_key", source["id"]) for source in sources}
        self.source_weights = {source["id"]: source.get("weight", 1.0) for source in sources}
        self.train_only = {self.families[source["id"]] for source in sources if source.get("train_only")}
        self.roles = {}
        self.known = set()

    def load_new(self):
        for ready in sorted(self.folder.glob("*/ready")):
            if ready.parent in self.known:
                continue
            self.known.add(ready.parent)
            for key, reels in json.loads((ready.parent / "reels.json").read_text()).items():
                role, split = key.split(".")
                if split == self.split:
                    names = [(self.families.get(reel["source"], reel["source"]), reel["reel"].rsplit("-", 1)[0]) for reel in reels]
                    weights = [self.source_weights.get(reel["source"], 1.0) for reel in reels]
                    samples = numpy.load(ready.parent / f"{key}.npy")
                    self.roles.setdefault(role, VoicePool(self.device, self.rate_hz)).add(samples, [reel["frames"] for reel in reels], names, weights)
            yield ready.parent.name

    def of_split(self, split):
        """The reels of another split in the same packs."""
        other = type(self)(self.folder, self.device, split=split)
        other.families, other.source_weights = self.families, self.source_weights
        list(other.load_new())
        return other

    def __getitem__(self, role):
        return self.roles[role]

    def __contains__(self, role):
        return role in self.roles

    def describe(self):
        return {role: {"minutes": round(pool.seconds / 60, 1), "speakers": len(pool.speakers)} for role, pool in sorted(self.roles.items())}
