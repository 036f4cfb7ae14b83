"""Makes the packs of speech: clips → reels of one speaker at 16 kHz mono → Ogg Vorbis → tar files.

    python3 -m training.prepare.pack_voices --list training/data/voices.json --roots DIR --out DIR --manifest training/data/voices.reels.jsonl

As `pack.py`, but the speaker stays in a reel's name (`voice/train/SOURCE/SPEAKER-0000.ogg`): mixtures, labels and splits need to know who speaks.
A source of single words may name `reels_a_group`: clips are cut to the word itself and dealt to so many short reels, so that a speaker's crops come from
different recordings.
`--rate-hz 48000` keeps the whole band, for the network that cleans speech; a source that has less says so (`rate_hz`).
"""

import argparse
import hashlib
import json
import multiprocessing
import random
import re
from pathlib import Path

import soundfile

from training.prepare.pack import encode, extend_manifest, gather_groups, join
from training.prepare.screen import screen
from training.prepare.sources import decode_clip, load_data_list
from training.prepare.splits import hash_fraction
from training.prepare.words import cut_word

RATE_HZ = 16000
REEL_S = 45.0
SHORTEST_REEL_S = 1.5
VORBIS_QUALITY = 3


def plain_name(group):
    """A speaker's name in characters allowed in file names; a hash distinguishes names that become equal."""
    plain = re.sub(r"[^A-Za-z0-9_]+", "_", Path(group).stem if "/" in group else group)
    return plain if plain == group else f"{plain[:40]}_{hashlib.sha256(group.encode()).hexdigest()[:6]}"


def pieces_of(source, clips, group):
    """Yields (rate, samples) of one speaker's clips, up to `seconds_a_group`."""
    taken = 0.0
    for clip in sorted(clips, key=lambda clip: hash_fraction(clip.path.name + group)):
        if taken >= source.get("seconds_a_group", 1e9):
            return
        try:
            samples, rate_hz = decode_clip(clip, 1)
        except Exception as error:
            print("skipped", clip.path.name, error)
            continue
        is_words = "reels_a_group" in source
        piece = screen(cut_word(samples, rate_hz) if is_words else samples, rate_hz, keep_pauses=is_words)
        if piece is not None:
            taken += len(piece) / rate_hz
            yield rate_hz, piece


def cut_reels(source, clips, group):
    """Yields (rate, samples, clip count), a reel at a time."""
    dice = random.Random(f"{source['id']}:{group}")
    gap_s = source.get("gap_s", [0.1, 0.5])
    pending = {}
    for rate_hz, piece in pieces_of(source, clips, group):
        pending.setdefault(rate_hz, []).append(piece)
        if sum(map(len, pending[rate_hz])) >= REEL_S * rate_hz:
            pieces = pending.pop(rate_hz)
            yield rate_hz, join(pieces, rate_hz, gap_s, dice), len(pieces)
    for rate_hz, pieces in pending.items():
        if sum(map(len, pieces)) >= SHORTEST_REEL_S * rate_hz:
            yield rate_hz, join(pieces, rate_hz, gap_s, dice), len(pieces)


def deal_reels(source, clips, group):
    """As `cut_reels`, for words: dealt in turn to `reels_a_group` reels, which share no clip; nothing of a speaker with fewer than `least_clips`."""
    words = list(pieces_of(source, clips, group))
    if len(words) < source["least_clips"]:
        return
    dice = random.Random(f"{source['id']}:{group}")
    for first in range(source["reels_a_group"]):
        dealt = words[first :: source["reels_a_group"]]
        rate_hz = dealt[0][0]
        yield rate_hz, join([piece for _, piece in dealt], rate_hz, source["gap_s"], dice, 0.0), len(dealt)


def encode_words(samples, rate_hz, path, kept_rate_hz, quality):
    """As `encode`, in this process where the rate stays: thousands of short files, for each of which ffmpeg takes longer to start than to write."""
    if rate_hz == kept_rate_hz:
        soundfile.write(path, samples, rate_hz, format="OGG", subtype="VORBIS", compression_level=1 - quality / 10)
    else:
        encode(samples, rate_hz, path, kept_rate_hz, quality)


def make_group(task):
    source, split, group, clips, out, kept_rate_hz = task
    entries = []
    reels, write = (deal_reels, encode_words) if "reels_a_group" in source else (cut_reels, encode)
    for number, (rate_hz, samples, count) in enumerate(reels(source, clips, group)):
        name = f"{source['role']}/{split}/{source['id']}/{plain_name(group)}-{number:04d}.ogg"
        path = out / "reels" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write(samples, rate_hz, path, source.get("rate_hz", kept_rate_hz), source.get("quality", VORBIS_QUALITY))
        data = path.read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        entries.append({"reel": name, "seconds": round(len(samples) / rate_hz, 2), "clips": count, "bytes": len(data), "sha256": digest})
    return split, entries


def make_reels(sources, roots, out, processes, kept_rate_hz):
    with multiprocessing.Pool(processes) as pool:
        for source in sources:
            paths = {split: out / "index" / f"{source['id']}.{split}.json" for split in ("held-out", "train")}
            if all(path.exists() for path in paths.values()):
                continue
            tasks = [(source, split, group, clips, out, kept_rate_hz) for (split, group), clips in sorted(gather_groups(source, roots).items())]
            made = {split: [] for split in paths}
            for split, entries in pool.imap(make_group, tasks):
                made[split] += entries
            for split, entries in made.items():
                paths[split].parent.mkdir(parents=True, exist_ok=True)
                paths[split].write_text(json.dumps(entries))
                speakers = len({entry["reel"].rsplit("-", 1)[0] for entry in entries})
                minutes = sum(entry["seconds"] for entry in entries) / 60
                print(f"{source['id']:32s} {split:8s} {speakers:4d} speakers {len(entries):4d} reels {minutes:7.1f} min", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", required=True)
    parser.add_argument("--roots", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--manifest", type=Path, required=True)
    parser.add_argument("--pack-mib", type=float, default=34)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--rate-hz", type=int, default=RATE_HZ)
    options = parser.parse_args()
    sources = [source for source in load_data_list(options.list) if source.get("kind", "reels") == "reels"]
    make_reels(sources, options.roots, options.out, options.processes, options.rate_hz)
    extend_manifest(options.manifest, options.out, options.pack_mib)


if __name__ == "__main__":
    main()
