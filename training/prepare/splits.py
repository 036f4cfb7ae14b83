"""Splits, decided by names alone, so that they never change."""

import fnmatch
import hashlib

DEVELOPMENT_SHARE = 0.5


def hash_fraction(text):
    """A number in [0, 1) that depends only on the text."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big") / 2**48


def find_split(source, group):
    if any(fnmatch.fnmatch(group, pattern) for pattern in source.get("held_out_groups", [])):
        return "held-out"
    key = source.get("split_key", source["id"])  # shared by sources that share speakers
    is_held_out = hash_fraction(f"{key}:{group}") < source.get("held_out_fraction", 0.0)
    return "held-out" if is_held_out else "train"


def find_part(split, speaker):
    """One of three disjoint groups of speakers: `test` is held out of training; `development` and `background` divide the others."""
    if split == "held-out":
        return "test"
    return "development" if hash_fraction(f"conversations:{speaker}") < DEVELOPMENT_SHARE else "background"
