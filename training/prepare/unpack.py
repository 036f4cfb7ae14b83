"""Decodes a pack into one int16 array a role and split, ready to be put on the GPU.

    python3 -m training.prepare.unpack pack-0.tar FOLDER   →  FOLDER/pack-0/{role}.{split}.npy, reels.json
"""

import io
import json
import multiprocessing
import os
import sys
import tarfile
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy

from training.prepare.vorbis import decode_vorbis


def decode_stereo(path):
    samples, _ = decode_vorbis(path)
    return numpy.repeat(samples, 2, axis=1) if samples.shape[1] == 1 else samples


def unpack(pack, out, decode=decode_stereo, is_wanted=lambda name: True):
    target = Path(out) / Path(pack).stem
    target.mkdir(parents=True, exist_ok=True)
    groups = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(Path(pack).read_bytes())) as tar:
            tar.extractall(folder)
        names = sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*.ogg"))
        names = [name for name in names if is_wanted(name)]
        with multiprocessing.Pool(max(1, (os.cpu_count() or 2) - 2)) as pool:
            decoded = pool.map(decode, [f"{folder}/{name}" for name in names], chunksize=1)
    for name, samples in zip(names, decoded):
        role, split, source, reel = name.split("/")
        groups[(role, split)].append((source, Path(reel).stem, samples))
    reels = {}
    for (role, split), items in groups.items():
        numpy.save(target / f"{role}.{split}.npy", numpy.concatenate([samples for _, _, samples in items]))
        reels[f"{role}.{split}"] = [{"source": source, "reel": reel, "frames": len(samples)} for source, reel, samples in items]
    (target / "reels.json").write_text(json.dumps(reels))
    (target / "ready").touch()
    return target


if __name__ == "__main__":
    unpack(*sys.argv[1:3])
