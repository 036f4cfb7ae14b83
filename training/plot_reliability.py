"""Draws a reliability diagram of a detector's confidence (from the report of training.evaluate_detection) as SVG.

python3 -m training.plot_reliability scores.json --out reliability.svg
"""

import argparse
import json
from pathlib import Path

SIZE, MARGIN = 400, 48


def draw(rows):
    """`rows`: [(mean probability, share of music, count)]."""
    at = lambda value: MARGIN + value * (SIZE - 2 * MARGIN)
    down = lambda value: SIZE - at(value)
    most = max(count for _, _, count in rows)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}" font-family="sans-serif" font-size="12">']
    parts.append(f'<rect width="{SIZE}" height="{SIZE}" fill="white"/><path d="M{at(0)} {down(0)}L{at(1)} {down(1)}" stroke="#bbb"/>')
    for tick in (0, 0.25, 0.5, 0.75, 1):
        parts.append(f'<text x="{at(tick):.0f}" y="{SIZE - MARGIN + 18}" text-anchor="middle">{tick}</text>')
        parts.append(f'<text x="{MARGIN - 8}" y="{down(tick) + 4:.0f}" text-anchor="end">{tick}</text>')
    points = " ".join(f"{at(probability):.1f},{down(share):.1f}" for probability, share, _ in rows)
    parts.append(f'<polyline points="{points}" fill="none" stroke="#1f6feb" stroke-width="2"/>')
    for probability, share, count in rows:
        radius = 3 + 7 * (count / most) ** 0.5
        parts.append(f'<circle cx="{at(probability):.1f}" cy="{down(share):.1f}" r="{radius:.1f}" fill="#1f6feb" fill-opacity="0.5"/>')
    parts.append(f'<text x="{SIZE / 2}" y="{SIZE - 8}" text-anchor="middle">probability the network gives</text>')
    parts.append(f'<text x="{MARGIN}" y="24">share of steps with music; a circle\'s size is their number</text></svg>')
    return "\n".join(parts) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scores", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.write_text(draw(json.loads(options.scores.read_text())["reliability"]))


if __name__ == "__main__":
    main()
