"""Accompaniments in many styles over common chord sequences, made by MMA (Musical MIDI Accompaniment) → MIDI files for `scores`.

    python3 -m training.prepare.accompaniment --library /usr/share/mma/lib/stdlib --out SOURCES/mma-songs [--count 90]
"""

import argparse
import random
import re
import subprocess
from pathlib import Path

BARS = 24
KEYS = ("C", "Db", "D", "Eb", "E", "F", "Gb", "G", "Ab", "A", "Bb", "B")
PROGRESSIONS = (
    ((0, ""), (7, ""), (9, "m"), (5, "")), ((9, "m"), (5, ""), (0, ""), (7, "")), ((0, "M7"), (9, "m7"), (2, "m7"), (7, "7")),
    ((0, "7"), (5, "7"), (0, "7"), (7, "7")), ((0, "m"), (8, ""), (3, ""), (10, "")), ((2, "m7"), (7, "7"), (0, "M7"), (0, "6")),
    ((0, ""), (5, ""), (2, "m"), (7, "sus4")), ((9, "m"), (7, ""), (5, "M7"), (4, "7")), ((0, "m7"), (5, "m7"), (10, "7"), (3, "M7")),
)  # fmt: skip


def song_text(style, groove, dice):
    key, first, second = dice.randrange(12), dice.choice(PROGRESSIONS), dice.choice(PROGRESSIONS)
    lines = ["RndSeed 1", f"Tempo {dice.randrange(70, 150)}", f"Use {style}", f"Groove {groove}"]
    for bar in range(BARS):
        step, kind = (first if bar // 8 % 2 == 0 else second)[bar % 4]
        lines.append(f"{bar + 1} {KEYS[(key + step) % 12]}{kind}")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=90)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for style in sorted(options.library.glob("*.mma"))[: options.count]:
        grooves = re.findall(r"^\s*DefGroove\s+(\S+)", style.read_text(errors="replace"), re.MULTILINE)
        song = options.out / f"{style.stem}.mma"
        if not grooves or song.with_suffix(".mid").exists():
            continue
        dice = random.Random(style.stem)
        song.write_text(song_text(f"stdlib/{style.stem}", dice.choice(grooves[:6]), dice))
        made = subprocess.run(["mma", "-f", str(song.with_suffix(".mid")), str(song)], capture_output=True, text=True)
        if made.returncode:
            print("skipped", style.stem, made.stdout.strip().splitlines()[-1:])


if __name__ == "__main__":
    main()
