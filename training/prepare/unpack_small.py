"""Unpacks the notes and songs of the music analyser.

    python3 -m training.prepare.unpack_small music-0.tar FOLDER
"""

import sys
import tarfile
from pathlib import Path

if __name__ == "__main__":
    folder = Path(sys.argv[2]) / Path(sys.argv[1]).stem
    with tarfile.open(sys.argv[1]) as tar:
        tar.extractall(folder)
