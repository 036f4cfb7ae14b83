"""Draws a mixture above its separated stems, each beside the stem it was mixed from, as PNG.

    python3 -m training.plot_spectrograms --mix mix.wav --pair dialogue.wav true-dialogue.wav --pair … --out picture.png

Time runs to the right, frequency upwards on a log scale from 60 Hz to 16 kHz, 70 dB from dark to bright, the same for all.
"""

import argparse
import struct
import zlib
from pathlib import Path

import numpy
import soundfile

WIDTH, HEIGHT, GAP = 420, 110, 6
LOW_HZ, HIGH_HZ, RANGE_DB = 60, 16000, 70
FFT_SIZE = 4096


def levels(path):
    """[HEIGHT, WIDTH] in dB."""
    sound, rate_hz = soundfile.read(str(path), dtype="float32", always_2d=True)
    sound = numpy.pad(sound.mean(1), FFT_SIZE // 2)
    starts = numpy.linspace(0, len(sound) - FFT_SIZE, WIDTH).astype(int)
    frames = numpy.stack([sound[start : start + FFT_SIZE] for start in starts]) * numpy.hanning(FFT_SIZE)
    power = numpy.abs(numpy.fft.rfft(frames)) ** 2
    edges = numpy.geomspace(LOW_HZ, HIGH_HZ, HEIGHT + 1) * FFT_SIZE / rate_hz
    rows = [power[:, int(low) : max(int(low) + 1, int(high))].mean(1) for low, high in zip(edges[:-1], edges[1:])]
    return 10 * numpy.log10(numpy.stack(rows[::-1]) + 1e-9)


def palette():
    """Dark blue through magenta and orange to white, as bytes."""
    stops = numpy.array([[10, 10, 40], [90, 20, 110], [200, 60, 90], [250, 170, 60], [255, 255, 230]], float)
    at = numpy.linspace(0, len(stops) - 1, 256)
    return numpy.stack([numpy.interp(at, range(len(stops)), stops[:, channel]) for channel in range(3)], 1).astype(numpy.uint8)


def write_png(path, pixels, colours):
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    height, width = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"PLTE", colours.tobytes()) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + body)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mix", required=True)
    parser.add_argument("--pair", nargs=2, action="append", required=True, metavar=("SEPARATED", "TRUE"))
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    mix = levels(options.mix)
    top = mix.max()
    # Thirty-two shades are enough for the eye and halve the file.
    shade = lambda picture: (numpy.clip((picture - top) / RANGE_DB + 1, 0, 1) * 31).astype(numpy.uint8) * 8
    canvas = numpy.full((HEIGHT * (len(options.pair) + 1) + GAP * len(options.pair), 2 * WIDTH + GAP), 255, numpy.uint8)
    rows = [(mix, mix)] + [(levels(separated), levels(true)) for separated, true in options.pair]
    for row, pictures in enumerate(rows):
        for column, picture in enumerate(pictures):
            y, x = row * (HEIGHT + GAP), column * (WIDTH + GAP)
            canvas[y : y + HEIGHT, x : x + WIDTH] = shade(picture)
    write_png(options.out, canvas, palette())


if __name__ == "__main__":
    main()
