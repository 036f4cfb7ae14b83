"""A role's reels on the GPU and random windows of them."""

import json
from pathlib import Path

import numpy
import torch


class Pool:
    """Reels of one role, end to end in one int16 tensor [frames, 2]."""

    def __init__(self, device):
        self.device = device
        self.samples = torch.zeros(0, 2, dtype=torch.int16, device=device)
        self.start_frames = torch.zeros(0, dtype=torch.int64, device=device)
        self.length_frames = torch.zeros(0, dtype=torch.int64, device=device)
        self.full_band = torch.zeros(0, dtype=torch.bool, device=device)
        self.sources = []
        self.chances = torch.zeros(0, device=device)

    @property
    def seconds(self):
        return len(self.samples) / 44100

    def add(self, samples, lengths, full_band, sources):
        ends = numpy.cumsum(lengths) + len(self.samples)
        starts = torch.from_numpy(ends - numpy.asarray(lengths)).to(self.device)
        self.samples = torch.cat([self.samples, torch.from_numpy(samples).to(self.device)])
        self.start_frames = torch.cat([self.start_frames, starts])
        self.length_frames = torch.cat([self.length_frames, torch.tensor(lengths, device=self.device)])
        self.full_band = torch.cat([self.full_band, torch.tensor(full_band, device=self.device)])
        self.sources += sources
        self.chances = self._reel_chances()

    def _reel_chances(self):
        """A source is drawn in proportion to the square root of its length: four times the minutes of one maker are not four times as much to learn."""
        lengths = self.length_frames.cpu().numpy().astype(float)
        names, source = numpy.unique(self.sources, return_inverse=True)
        of_source = numpy.bincount(source, lengths, len(names))
        return torch.from_numpy(lengths / numpy.sqrt(of_source[source])).float().to(self.device)

    def draw(self, count, frames, rates):
        """float32 [count, 2, frames], read at `rates` (1 = as recorded) by cubic interpolation; and whether each is full-band."""
        reel = torch.multinomial(self.chances, count, replacement=True)
        span = (frames * rates).long() + 4
        room = (self.length_frames[reel] - span).clamp(min=0)
        first = self.start_frames[reel] + (torch.rand(count, device=self.device) * room).long()
        position = torch.arange(frames, device=self.device, dtype=torch.float32) * rates[:, None]
        whole = position.long()
        t = (position - whole)[:, None]
        index = first[:, None] + whole
        last = len(self.samples) - 1
        p0, p1, p2, p3 = (self.samples[(index + k).clamp(0, last)].float().transpose(1, 2) for k in (0, 1, 2, 3))
        a = 0.5 * (3 * (p1 - p2) + p3 - p0)
        b = p0 - 2.5 * p1 + 2 * p2 - 0.5 * p3
        c = 0.5 * (p2 - p0)
        return (((a * t + b) * t + c) * t + p1) / 32768, self.full_band[reel]


class Pools:
    """All roles; packs may be added while training runs. Reels that the data list marks as dropped are not used for training."""

    def __init__(self, folder, device, sources=()):
        self.folder = Path(folder)
        self.device = device
        self.sources = sources
        self.band_limited = {source["id"] for source in sources if not source.get("full_band", True)}
        self.dropped = {(source["id"], entry["reel"]) for source in sources for entry in source.get("dropped", [])}
        self.roles = {}
        self.known = set()

    def load_new(self):
        for ready in sorted(self.folder.glob("*/ready")):
            if ready.parent in self.known:
                continue
            self.known.add(ready.parent)
            for key, reels in json.loads((ready.parent / "reels.json").read_text()).items():
                if not key.endswith(".train"):
                    continue
                samples = numpy.load(ready.parent / f"{key}.npy", mmap_mode="r")
                self._add(key, samples, reels)
            yield ready.parent.name

    def _add(self, key, samples, reels):
        ends = numpy.cumsum([reel["frames"] for reel in reels])
        kept = [(end - reel["frames"], end, reel) for end, reel in zip(ends, reels) if (reel["source"], reel["reel"]) not in self.dropped]
        pool = self.roles.setdefault(key, Pool(self.device))
        pool.add(
            numpy.concatenate([samples[start:end] for start, end, _ in kept]),
            [reel["frames"] for _, _, reel in kept],
            [reel["source"] not in self.band_limited for _, _, reel in kept],
            [reel["source"] for _, _, reel in kept],
        )

    def __getitem__(self, key):
        return self.roles[key]

    def __contains__(self, key):
        return key in self.roles

    def describe(self):
        return {key: round(pool.seconds / 60, 1) for key, pool in sorted(self.roles.items())}
