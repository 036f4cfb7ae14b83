"""Draws a training curve (curve.jsonl of one or more runs) as SVG.

    python3 -m training.plot_curve curve.jsonl --out curve.svg
"""

import argparse
import json
from pathlib import Path

WIDTH, HEIGHT, MARGIN = 720, 360, 48
COLOURS = {
    "dialogue": "#1f6feb", "music": "#bf4b8a", "effects": "#2da44e",
    "guitar": "#953800", "guitar_electric": "#bc4c00", "guitar_acoustic": "#d4a72c", "keys": "#8250df", "piano": "#1f6feb", "strings": "#bf4b8a", "wind": "#2da44e", "rest": "#6e7781",
    "dry": "#1f6feb", "rooms": "#bc4c00",
    "noise": "#1f6feb", "both": "#2da44e", "both_dry": "#bf4b8a", "rooms_dry": "#bc4c00",
}  # fmt: skip

IMPROVEMENTS = ("dry", "rooms", "noise", "both", "both_dry", "rooms_dry")
"""The scores of the speech networks: the gain over the mixture."""


def read_points(paths):
    """[(minutes, {stem: dB})] with the runs in sequence."""
    points, before = [], 0.0
    for path in paths:
        last = 0.0
        for line in Path(path).read_text().splitlines():
            entry = json.loads(line)
            values = entry.get("si_sdr") or {name: entry[name] for name in IMPROVEMENTS if name in entry}
            if values and "seconds" in entry:
                last = entry["seconds"] / 60
                points.append((before + last, values))
        before += last
    return points


def draw(points):
    top = max(max(values.values()) for _, values in points) + 1
    low = min(0.0, min(min(values.values()) for _, values in points))
    end = points[-1][0]
    x = lambda minutes: MARGIN + minutes / end * (WIDTH - 2 * MARGIN)
    y = lambda db: HEIGHT - MARGIN - (db - low) / (top - low) * (HEIGHT - 2 * MARGIN)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">']
    parts.append(f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>')
    for db in range(int(low), int(top) + 1, 2):
        parts.append(f'<path d="M{MARGIN} {y(db):.1f}H{WIDTH - MARGIN}" stroke="#ddd"/><text x="{MARGIN - 8}" y="{y(db) + 4:.1f}" text-anchor="end">{db}</text>')
    for minutes in range(0, int(end) + 1, 5):
        parts.append(f'<text x="{x(minutes):.1f}" y="{HEIGHT - MARGIN + 18}" text-anchor="middle">{minutes}</text>')
    for stem in points[-1][1]:
        colour = COLOURS[stem]
        line = " ".join(f"{x(minutes):.1f},{y(values[stem]):.1f}" for minutes, values in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{WIDTH - MARGIN + 4}" y="{y(points[-1][1][stem]) + 4:.1f}" fill="{colour}" font-size="10">{stem}</text>')
    parts.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 8}" text-anchor="middle">minutes of training on one H200</text>')
    title = "SI-SDR improvement in dB, held-out speakers" if set(points[-1][1]) <= set(IMPROVEMENTS) else "SI-SDR in dB, held-out set"
    parts.append(f'<text x="{MARGIN}" y="24">{title}</text></svg>')
    return "\n".join(parts) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("curves", nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.write_text(draw(read_points(options.curves)))


if __name__ == "__main__":
    main()
