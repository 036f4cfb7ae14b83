"""Decodes a pack of notes into one int16 array a split, ready to be put on the GPU.

    python3 -m training.prepare.unpack_notes notes-0.tar FOLDER   →  FOLDER/notes-0/{split}.npy, {split}.json, scores.{split}.npz
"""

import json
import multiprocessing
import os
import sys
import tarfile
import tempfile
from pathlib import Path

import numpy

from training.prepare.unpack import decode_stereo

SPLITS = ("train", "held-out")


def unpack_notes(pack, out):
    target = Path(out) / Path(pack).stem
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(pack) as tar:
            tar.extractall(folder)
        for scores in Path(folder).glob("scores.*.npz"):
            (target / scores.name).write_bytes(scores.read_bytes())
        for split in SPLITS:
            strips = sorted(Path(folder, split).glob("*.ogg"))
            if not strips:
                continue
            with multiprocessing.Pool(max(1, (os.cpu_count() or 2) - 2)) as pool:
                decoded = pool.map(decode_stereo, strips, chunksize=1)
            entries, offset = [], 0
            for strip, samples in zip(strips, decoded):
                entries.append({**json.loads(strip.with_suffix(".json").read_text()), "offset": offset})
                offset += len(samples)
            numpy.save(target / f"{split}.npy", numpy.concatenate(decoded))
            (target / f"{split}.json").write_text(json.dumps(entries))
    (target / "notes-ready").touch()


if __name__ == "__main__":
    unpack_notes(*sys.argv[1:3])
