"""Decodes a pack of speech into one mono int16 array a role and split.

    python3 -m training.prepare.unpack_voices pack-0.tar FOLDER   →  FOLDER/pack-0/{role}.{split}.npy, reels.json
"""

import sys

from training.prepare.unpack import unpack
from training.prepare.vorbis import decode_vorbis


def decode_mono(path):
    return decode_vorbis(path)[0][:, 0]


if __name__ == "__main__":
    unpack(*sys.argv[1:3], decode=decode_mono)
