"""Makes the packs: clips → reels (at most a minute of one group's sound) → Ogg Vorbis → tar files of equal size.

    python3 -m training.prepare.pack --list training/data/dialogue-music-effects.json --roots DIR --out DIR
"""

import argparse
import hashlib
import json
import random
import subprocess
import tarfile
from collections import defaultdict
from functools import partial
from pathlib import Path

import numpy
import soundfile

from training.prepare.copy_excerpts import copy_excerpts
from training.prepare.screen import screen
from training.prepare.sources import decode, decode_clip, list_clips, load_data_list
from training.prepare.splits import hash_fraction

RATE_HZ = 44100
REEL_S = 60.0
SHORTEST_REEL_S = 8.0
VORBIS_QUALITY = 2


def excerpt_spans(total, rate_hz, seconds, excerpts_at=None):
    """Up to `seconds` of a track in pieces of 40 s spread over it: more tracks for the same bytes.

    `excerpts_at` names where they start instead, as shares of what is left beside a piece: a source that another one took from
    already gives other parts of its tracks that way."""
    piece = int(40 * rate_hz)
    if excerpts_at:
        return [(int(share * (total - piece)), int(share * (total - piece)) + piece) for share in excerpts_at] if total > 2 * piece else []
    count = min(int(seconds // 40) or 1, max(1, total // piece))
    if total <= piece * count:
        return [(0, total)]
    starts = numpy.linspace(0, total - piece, count + 2)[1:-1] if count > 1 else [0.3 * (total - piece)]
    return [(int(start), int(start) + piece) for start in starts]


def music_pieces(clips, source, seconds):
    """Excerpts of a track; if the file is seekable, only they are decoded."""
    channels, excerpts_at = source.get("channels", 2), source.get("excerpts_at")
    if not source.get("sum_group"):
        try:
            info = soundfile.info(str(clips[0].path))
            spans = excerpt_spans(info.frames, info.samplerate, seconds, excerpts_at)
            return [decode(clips[0].path, channels, span)[0] for span in spans], info.samplerate
        except soundfile.LibsndfileError:
            pass
    samples, rate_hz = sum_stems(clips, channels) if source.get("sum_group") else decode_clip(clips[0], channels)
    return [samples[start:end] for start, end in excerpt_spans(len(samples), rate_hz, seconds, excerpts_at)], rate_hz


def gather_groups(source, roots):
    groups = defaultdict(list)
    for clip in list_clips(source, roots):
        groups[(clip.split, clip.group)].append(clip)
    return groups


def sum_stems(clips, channels):
    """A song published as stems: their sum, with the length of the longest."""
    decoded = [decode_clip(clip, channels) for clip in clips]
    mix = numpy.zeros((max(len(samples) for samples, _ in decoded), channels), numpy.float32)
    for samples, _ in decoded:
        mix[: len(samples)] += samples
    return mix, decoded[0][1]


def join(pieces, rate_hz, gap_s, dice, shortest_s=SHORTEST_REEL_S):
    joined = []
    for piece in pieces:
        joined += [piece, numpy.zeros((int(dice.uniform(*gap_s) * rate_hz), piece.shape[1]), numpy.float32)]
    reel = numpy.concatenate(joined)
    while len(reel) < shortest_s * rate_hz:
        reel = numpy.concatenate([reel, reel])
    return reel


def cut_reels(source, roots, wanted_split):
    """Yields (split, rate, samples, clip count) of one split. Small groups share reels within their split."""
    channels = source.get("channels", 2)
    is_music = source["role"] in ("music", "singing")
    gap_s = source.get("gap_s", [0.0, 0.05] if is_music else [0.15, 0.6])
    dice = random.Random(source["id"])
    pending = defaultdict(list)
    by_group = source["role"] == "dialogue" or is_music
    used = defaultdict(float)
    limit = {"train": source.get("minutes", 1e9) * 60, "held-out": source.get("held_out_minutes", 1e9) * 60}
    per_group_s = source.get("seconds_a_group", 1e9)
    groups = [item for item in gather_groups(source, roots).items() if item[0][0] == wanted_split]
    groups.sort(key=lambda item: hash_fraction("order" + str(item[0])))
    for (split, group), clips in groups:
        taken = 0.0
        clips = sorted(clips, key=lambda clip: hash_fraction(clip.path.name + group))
        for clip in clips[:1] if source.get("sum_group") else clips:
            if used[split] >= limit[split] or taken >= per_group_s:
                break
            try:
                if source.get("excerpts", source["role"] == "music"):
                    pieces, rate_hz = music_pieces(clips if source.get("sum_group") else [clip], source, per_group_s)
                else:
                    samples, rate_hz = decode_clip(clip, channels)
                    pieces = [samples]
            except Exception as error:
                print("skipped", clip.path.name, error)
                continue
            for piece in pieces:
                piece = screen(piece, rate_hz, keep_pauses=source["role"] in ("music", "ambience"))
                if piece is None:
                    continue
                piece = piece[: int(REEL_S * rate_hz)]
                taken += len(piece) / rate_hz
                used[split] += len(piece) / rate_hz
                key = (split, group if by_group else "", rate_hz)
                pending[key].append(piece)
                if sum(map(len, pending[key])) >= 0.75 * REEL_S * rate_hz:
                    count = len(pending[key])
                    yield split, rate_hz, join(pending.pop(key), rate_hz, gap_s, dice), count
        if by_group:
            for key in [key for key in pending if key[1] == group and key[0] == split]:
                count = len(pending[key])
                yield split, key[2], join(pending.pop(key), key[2], gap_s, dice), count
    for key in list(pending):
        count = len(pending[key])
        yield key[0], key[2], join(pending.pop(key), key[2], gap_s, dice), count


def list_reels(source, roots, split):
    """Yields (write, seconds, clip count) per reel."""
    if source.get("copy"):
        spans_of = lambda total, rate_hz: excerpt_spans(total, rate_hz, source["seconds_a_group"], source.get("excerpts_at"))
        for write, seconds in copy_excerpts(source, roots, split, spans_of):
            yield write, seconds, 1
        return
    for _, rate_hz, samples, clips in cut_reels(source, roots, split):
        yield partial(encode, samples, rate_hz), len(samples) / rate_hz, clips


def encode(samples, rate_hz, path, kept_rate_hz=RATE_HZ, quality=VORBIS_QUALITY):
    command = ["ffmpeg", "-v", "error", "-y", "-threads", "1", "-f", "f32le", "-ar", str(rate_hz), "-ac", str(samples.shape[1])]
    command += ["-i", "-", "-ar", str(kept_rate_hz), "-c:a", "libvorbis", "-q:a", str(quality), "-map_metadata", "-1"]
    command += ["-fflags", "+bitexact", "-flags:a", "+bitexact", "-serial_offset", "1", str(path)]
    subprocess.run(command, input=samples.tobytes(), check=True)


def write_index(out, role, split, source_id, reels):
    """Writes the reels of one source and split, and lists them in an index; what has an index already is left as it is."""
    index_path = out / "index" / f"{source_id}.{split}.json"
    if index_path.exists():
        return
    entries = []
    for number, (write, seconds, clips) in enumerate(reels):
        name = f"{role}/{split}/{source_id}/{number:04d}.ogg"
        (out / "reels" / name).parent.mkdir(parents=True, exist_ok=True)
        write(out / "reels" / name)
        data = (out / "reels" / name).read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        entries.append({"reel": name, "seconds": round(seconds, 2), "clips": clips, "bytes": len(data), "sha256": digest})
    index_path.parent.mkdir(parents=True, exist_ok=True)
    index_path.write_text(json.dumps(entries))
    minutes = sum(entry["seconds"] for entry in entries) / 60
    print(f"{source_id:32s} {role:9s} {split:8s} {len(entries):4d} reels {minutes:7.1f} min", flush=True)


def make_reels(sources, roots, out):
    """Held-out reels of all sources first: the evaluation set must be complete before training starts."""
    for split, source in ((split, source) for split in ("held-out", "train") for source in sources):
        if not (split == "held-out" and source.get("train_only")):
            write_index(out, source["role"], split, source["id"], list_reels(source, roots, split))


def fill_packs(out, pack_bytes, packed):
    """Distributes the reels not yet packed to new packs. Held-out reels go first (the evaluation needs them at once), then training
    reels in a shuffled order, so that every pack has all roles. Returns [(pack number, entry)]."""
    entries = [entry for path in sorted((out / "index").glob("*.json")) for entry in json.loads(path.read_text())]
    known = {entry["reel"] for entry in packed}
    fresh = [entry for entry in entries if entry["reel"] not in known]
    fresh.sort(key=lambda entry: ("/held-out/" not in entry["reel"], hash_fraction(entry["reel"])))
    number = max((entry["pack"] for entry in packed), default=-1)
    dealt, size = [], pack_bytes
    for entry in fresh:
        if size + entry["bytes"] + 1024 > pack_bytes:
            number, size = number + 1, 0
        dealt.append({"pack": number, **entry})
        size += entry["bytes"] + 1024
    for pack in sorted({entry["pack"] for entry in dealt}):
        with tarfile.open(out / f"pack-{pack}.tar", "w") as tar:
            for entry in dealt:
                if entry["pack"] == pack:
                    tar.add(out / "reels" / entry["reel"], entry["reel"])
    return dealt


def extend_manifest(manifest, out, pack_mib):
    """Packs what the manifest does not list yet."""
    lines = manifest.read_text().splitlines() if manifest.exists() else []
    packed = [json.loads(line) for line in lines]
    packed += fill_packs(out, pack_mib * 2**20, packed)
    manifest.write_text("".join(json.dumps(entry) + "\n" for entry in packed))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", required=True)
    parser.add_argument("--roots", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--manifest", type=Path)
    parser.add_argument("--pack-mib", type=float, default=54)
    parser.add_argument("--only", default="")
    parser.add_argument("--fill-only", action="store_true", help="pack the reels there are")
    options = parser.parse_args()
    sources = [source for source in load_data_list(options.list) if options.only in source["id"] and source.get("kind", "reels") == "reels"]
    if not options.fill_only:
        make_reels(sources, options.roots, options.out)
    if options.manifest:
        extend_manifest(options.manifest, options.out, options.pack_mib)


if __name__ == "__main__":
    main()
