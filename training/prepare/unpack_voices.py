"""Decodes a pack of speech into one mono int16 array a role and split.

    python3 -m training.prepare.unpack_voices pack-0.tar FOLDER                →  FOLDER/pack-0/{role}.{split}.npy, reels.json
    python3 -m training.prepare.unpack_voices pack-0.tar FOLDER --as-dialogue  →  FOLDER/voices-pack-0/dialogue.train.npy at 44.1 kHz, stereo
    python3 -m training.prepare.unpack_voices pack-0.tar FOLDER --at-48-khz    as the first, reels of 16 kHz brought to 48 kHz

The second form is for the networks that hear music as well: the same speech among the reels of `dialogue-music-effects`.
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


def decode_mono(path):
    return decode_vorbis(path)[0][:, 0]


def stretch(samples, given, wanted):
    """int16 mono, `wanted` samples for each `given`; a remainder at the end is dropped."""
    whole = samples[: len(samples) // given * given]
    frames = len(whole) // given * wanted
    spectrum = numpy.zeros(frames // 2 + 1, complex)
    given = numpy.fft.rfft(whole)[:-1]
    spectrum[: len(given)] = given
    sound = numpy.fft.irfft(spectrum, frames) * (frames / max(1, len(whole)))
    return numpy.clip(numpy.round(sound), -32768, 32767).astype(numpy.int16)


def to_44100_hz(samples):
    """int16 mono at 16 kHz → int16 stereo at 44.1 kHz."""
    mono = stretch(samples, 160, 441)
    return numpy.stack([mono, mono], 1)


def decode_at_48_khz(path):
    samples, rate_hz = decode_vorbis(path)
    return stretch(samples[:, 0], 2, 6) if rate_hz == 16000 else samples[:, 0]


def decode_as_dialogue(path):
    return to_44100_hz(decode_mono(path))


def recordings(source):
    return source["folder"], source.get("table", {}).get("glob")


@cache
def others_of(source_id):
    """The sources of `dialogue-music-effects` with the same recordings as a source of `voices`; they may split its speakers differently."""
    voices, others = (json.loads((LISTS / f"{name}.json").read_text())["sources"] for name in ("voices", "dialogue-music-effects"))
    own = next(source for source in voices if source["id"] == source_id)
    return [other for other in others if other["role"] == "dialogue" and recordings(other) == recordings(own)]


def is_dialogue_for_training(name):
    """Speech of speakers whom neither list holds out: the held-out sets of both must stay unseen, and that of `dialogue-music-effects` unchanged."""
    role, split, source_id, reel = name.split("/")
    if (role, split) != ("voice", "train"):
        return False
    speaker = Path(reel).stem.rsplit("-", 1)[0]
    return all(find_split(other, speaker) == "train" for other in others_of(source_id))


def unpack_as_dialogue(pack, out):
    """Training speech only, under the role that the other mixers draw voices from."""
    target = unpack(pack, out, decode=decode_as_dialogue, prefix="voices-", mark_ready=False, is_wanted=is_dialogue_for_training)
    reels = json.loads((target / "reels.json").read_text())
    if reels:
        (target / "voice.train.npy").rename(target / "dialogue.train.npy")
        (target / "reels.json").write_text(json.dumps({"dialogue.train": reels["voice.train"]}))
    (target / "ready").touch()


if __name__ == "__main__":
    if "--as-dialogue" in sys.argv:
        unpack_as_dialogue(*sys.argv[1:3])
    else:
        unpack(*sys.argv[1:3], decode=decode_at_48_khz if "--at-48-khz" in sys.argv else decode_mono)
