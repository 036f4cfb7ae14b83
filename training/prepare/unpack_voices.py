"""Decodes a pack of speech into one mono int16 array a role and split.

    python3 -m training.prepare.unpack_voices pack-0.tar FOLDER                →  FOLDER/pack-0/{role}.{split}.npy, reels.json
    python3 -m training.prepare.unpack_voices pack-0.tar FOLDER --beside-music the same, without the training reels that `dialogue-music-effects` holds out
    python3 -m training.prepare.unpack_voices pack-0.tar FOLDER --at-48-khz    as the first, reels of 16 kHz brought to 48 kHz
"""

import json
import sys
from functools import cache
from pathlib import Path

import numpy

from training.prepare.splits import find_split
from training.prepare.unpack import unpack
from training.prepare.vorbis import decode_vorbis

LISTS = Path(__file__).parent.parent / "data"
ROLES = {"voice": "dialogue", "effects": "effects"}
"""The role in `dialogue-music-effects` of recordings that `voices` has too."""


def decode_mono(path):
    return decode_vorbis(path)[0][:, 0]


def resample(samples, given, wanted):
    """int16 mono, `wanted` samples for each `given`; a remainder at the end is dropped."""
    whole = samples[: len(samples) // given * given]
    frames = len(whole) // given * wanted
    spectrum = numpy.zeros(frames // 2 + 1, complex)
    given = numpy.fft.rfft(whole)[:-1]
    spectrum[: len(given)] = given
    sound = numpy.fft.irfft(spectrum, frames) * (frames / max(1, len(whole)))
    return numpy.clip(numpy.round(sound), -32768, 32767).astype(numpy.int16)


def decode_at_48_khz(path):
    samples, rate_hz = decode_vorbis(path)
    return resample(samples[:, 0], 2, 6) if rate_hz == 16000 else samples[:, 0]


def recordings(source):
    return source["folder"], source.get("table", {}).get("glob")


@cache
def others_of(source_id):
    """The sources of `dialogue-music-effects` with the same recordings as a source of `voices`; they may split its speakers differently."""
    voices, others = (json.loads((LISTS / f"{name}.json").read_text())["sources"] for name in ("voices", "dialogue-music-effects"))
    own = next(source for source in voices if source["id"] == source_id)
    return [other for other in others if other["role"] == ROLES[own["role"]] and recordings(other) == recordings(own)]


def is_held_out_nowhere_else(name):
    """Neither list's held-out set may be heard in training."""
    _, split, source_id, reel = name.split("/")
    if split != "train":
        return True
    group = Path(reel).stem.rsplit("-", 1)[0]
    return all(find_split(other, group) == "train" for other in others_of(source_id))


if __name__ == "__main__":
    is_wanted = is_held_out_nowhere_else if "--beside-music" in sys.argv else lambda name: True
    unpack(*sys.argv[1:3], decode=decode_at_48_khz if "--at-48-khz" in sys.argv else decode_mono, is_wanted=is_wanted)
