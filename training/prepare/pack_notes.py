"""Deals the strips of notes to packs that travel to the GPU; the scores go with the first.

    python3 -m training.prepare.pack_notes --out DIR [--manifest training/data/other-splitter.notes.jsonl]

Reads DIR/strips and DIR/scores.*.npz, writes DIR/notes-0.tar and so on. Held-out strips go first (the evaluation needs them at once), then
training strips in an order that gives every pack all stems.
"""

import argparse
import json
import tarfile
from pathlib import Path

from training.prepare.splits import hash_fraction


def deal(entries, pack_bytes):
    """[(pack number, entry)]"""
    ordered = sorted(entries, key=lambda entry: (entry["split"] == "train", hash_fraction(entry["instrument"])))
    number, size, dealt = 0, 0, []
    for entry in ordered:
        if size + entry["bytes"] > pack_bytes:
            number, size = number + 1, 0
        dealt.append((number, entry))
        size += entry["bytes"] + 4096
    return dealt


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--manifest", type=Path)
    parser.add_argument("--pack-mib", type=float, default=40)
    options = parser.parse_args()
    entries = [json.loads(path.read_text()) for path in sorted((options.out / "strips").glob("*/*.json"))]
    dealt = deal(entries, options.pack_mib * 2**20)
    for pack in sorted({number for number, _ in dealt}):
        with tarfile.open(options.out / f"notes-{pack}.tar", "w") as tar:
            for path in sorted(options.out.glob("scores.*.npz")) if pack == 0 else ():
                tar.add(path, path.name)
            for number, entry in dealt:
                if number == pack:
                    for suffix in ("ogg", "json"):
                        name = f"{entry['split']}/{entry['instrument']}.{suffix}"
                        tar.add(options.out / "strips" / name, name)
    if options.manifest:
        lines = [{"pack": number, **{**entry, "notes": len(entry["notes"])}} for number, entry in dealt]
        options.manifest.write_text("".join(json.dumps(line) + "\n" for line in lines))


if __name__ == "__main__":
    main()
