"""Reads a data list and yields the audio clips it names.

A data list is JSON: {"sources": [...]}. Each source says where its files come from (a Debian package or a public
repository at a commit, with licence), which files it takes and what they are (`role`). A file belongs to a *group*
(a speaker, a track, a family of takes of one sound); a group is never divided between training and held-out.
"""

import fnmatch
import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy
import soundfile

from training.prepare.splits import find_split

AUDIO_SUFFIXES = {".ogg", ".wav", ".mp3", ".flac", ".m4a", ".webm", ".oga", ".opus", ".it", ".s3m"}


@dataclass(frozen=True)
class Clip:
    source: str
    group: str
    split: str
    path: Path
    minus: Path | None = None
    """A recording to subtract, for sources published as (noisy, clean) pairs: the difference is the noise."""


def load_data_list(path):
    return json.loads(Path(path).read_text())["sources"]


def take_family(name):
    """`arrow_wood_03` and `arrow_wood_17` are takes of one sound."""
    return re.sub(r"[\d_\- ]+$", "", name.lower()) or name.lower()


def find_group(source, relative):
    rule = source.get("group", "file")
    if rule == "family":
        return f"{relative.parent}/{take_family(relative.stem)}"
    if rule == "folder":
        return str(relative.parent)
    if rule == "whole":
        return source["id"]
    if rule == "file":
        return str(relative)
    match = re.search(rule, str(relative))
    return match.group(1) if match else str(relative)


def is_wanted(source, relative):
    name = str(relative)
    if relative.suffix.lower() not in AUDIO_SUFFIXES:
        return False
    if not any(fnmatch.fnmatch(name, pattern) for pattern in source["include"]):
        return False
    return not any(fnmatch.fnmatch(name, pattern) for pattern in source.get("exclude", []))


def list_from_table(source, root):
    """Sources with a metadata table give speaker and licence per file; rows with another licence are skipped."""
    import csv

    table = source["table"]
    for table_path in sorted(root.glob(table["glob"])):
        for row in csv.DictReader(table_path.open()):
            if "licence_column" in table and row[table["licence_column"]] not in table["licences"]:
                continue
            folder = table_path.parent / table.get("folder", ".")
            path = folder / row["filename"]
            minus = table_path.parent / table["minus"] / row["filename"] if "minus" in table else None
            group = row[table["group_column"]]
            if path.exists():
                yield Clip(source["id"], group, find_split(source, group), path, minus)


def list_clips(source, roots):
    """All clips of a source; `roots` maps a source's origin to the folder it was unpacked in."""
    root = Path(roots) / source["folder"]
    if "table" in source:
        yield from list_from_table(source, root)
        return
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        if path.is_file() and is_wanted(source, relative):
            group = find_group(source, relative)
            yield Clip(source["id"], group, find_split(source, group), path)


def decode(path, channels, span=(0, None)):
    """Samples as float32 [frames, channels] and their rate. libsndfile first: ffmpeg takes a process per file."""
    try:
        samples, rate_hz = soundfile.read(str(path), start=span[0], stop=span[1], dtype="float32", always_2d=True)
    except soundfile.LibsndfileError:
        rate_hz = 44100
        command = ["ffmpeg", "-v", "error", "-i", str(path), "-f", "f32le", "-ac", "2", "-ar", str(rate_hz), "-"]
        raw = subprocess.run(command, capture_output=True, check=True).stdout
        samples = numpy.frombuffer(raw, numpy.float32).reshape(-1, 2)
    if channels == 1:
        samples = samples.mean(axis=1, keepdims=True)
    elif samples.shape[1] == 1:
        samples = numpy.repeat(samples, 2, axis=1)
    return numpy.ascontiguousarray(samples[:, :channels]), rate_hz


def decode_clip(clip, channels):
    samples, rate_hz = decode(clip.path, channels)
    if clip.minus is not None:
        reference, _ = decode(clip.minus, channels)
        frames = min(len(samples), len(reference))
        samples = samples[:frames] - reference[:frames]
    return samples, rate_hz
