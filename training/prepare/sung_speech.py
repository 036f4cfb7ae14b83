"""Speech made to sing: the syllables of a speaker on the notes of a tune, each held at its pitch → WAV files, a speaker a file.

    python3 -m training.prepare.sung_speech --list training/data/dialogue-music-effects.json --roots SOURCES

A source of a data list may name sources of speech (`of`); the files lie in its folder afterwards and are packed as its own. Singing alone is rare
among recordings that may be used, and its few voices teach a network who sings rather than what singing is: here the voice is that of speech, and only
steady pitch and time tell the two apart.
"""

import argparse
import random
from pathlib import Path

import numpy
import soundfile

from training.prepare.pack import gather_groups
from training.prepare.sources import decode_clip, load_data_list
from training.prepare.splits import hash_fraction

RATE_HZ = 44100
HOP_S, WINDOW_S = 0.005, 0.04
PITCHES_HZ = (75, 420)
VOICED = 0.6
"""Minimum autocorrelation at one period."""
AS_GOOD = 0.88
SYLLABLE_S = (0.07, 0.35)
CONSONANT_S = 0.09
SCALE = (0, 2, 4, 5, 7, 9, 11, 12)


def track_pitch(sound, rate_hz):
    """Period in frames every 5 ms, 0 if unvoiced."""
    window, hop = int(WINDOW_S * rate_hz), int(HOP_S * rate_hz)
    shortest, longest = rate_hz // PITCHES_HZ[1], rate_hz // PITCHES_HZ[0]
    pieces = numpy.lib.stride_tricks.sliding_window_view(sound, window + longest)[::hop]
    size = 1 << (window + longest).bit_length()
    spectrum = numpy.fft.rfft(pieces, size)
    heads = numpy.fft.rfft(pieces[:, :window], size)
    likeness = numpy.fft.irfft(spectrum * heads.conj(), size)[:, : longest + 1]
    energy = numpy.cumsum(numpy.pad(pieces**2, ((0, 0), (1, 0))), 1)
    energy = energy[:, window : window + longest + 1] - energy[:, : longest + 1]
    likeness = likeness / numpy.sqrt(energy * energy[:, :1] + 1e-9)
    likeness[:, :shortest] = 0
    # Two periods match as well as one: the shortest that is nearly as good is the period, and the peak is at or after it.
    first = (likeness > AS_GOOD * likeness.max(1, keepdims=True)).argmax(1)
    near = first[:, None] + numpy.arange(shortest)
    period = first + numpy.take_along_axis(likeness, near.clip(max=longest), 1).argmax(1)
    is_loud = energy[:, 0] > 0.01 * numpy.quantile(energy[:, 0], 0.95)
    return numpy.where((likeness[numpy.arange(len(period)), period] > VOICED) & is_loud, period, 0)


def find_syllables(periods):
    """(first, end) of the voiced stretches that are long enough to be held, in steps of 5 ms; long ones are split."""
    shortest, longest = (int(seconds / HOP_S) for seconds in SYLLABLE_S)
    edges = numpy.flatnonzero(numpy.diff(numpy.pad(periods > 0, 1).astype(int)))
    for first, end in zip(edges[::2], edges[1::2]):
        for start in range(first, end, longest):
            if min(end, start + longest) - start >= shortest:
                yield start, min(end, start + longest)


def hold(sound, periods, hop, frames, tune):
    """Stretches voiced speech to `frames` frames with the periods given by `tune(frame)`: its own periods, windowed, placed at new distances (PSOLA)."""
    marks, at = [], 0.0
    while at < len(sound):
        marks.append(int(at))
        at += periods[min(len(periods) - 1, int(at) // hop)]
    held, at = numpy.zeros(frames + 4 * max(periods)), 0.0
    while at < frames:
        mark = marks[min(len(marks) - 1, int(at / frames * len(marks)))]
        period = periods[min(len(periods) - 1, mark // hop)]
        piece = sound[max(0, mark - period) : mark + period]
        start = int(at) + period - min(period, mark)
        window = numpy.hanning(2 * period)[2 * period - len(piece) :] if mark < period else numpy.hanning(2 * period)[: len(piece)]
        held[start : start + len(piece)] += piece * window
        at += tune(at)
    return held


def sing(sound, rate_hz, dice, seconds):
    """A tune of at most `seconds` on the syllables of `sound`, in order, repeated if they run out."""
    hop = int(HOP_S * rate_hz)
    periods = track_pitch(sound, rate_hz)
    syllables = list(find_syllables(periods))
    if len(syllables) < 4:
        return None
    home_hz = rate_hz / numpy.median(periods[periods > 0]) * 2 ** dice.uniform(0, 0.5)
    beat_s, degree, vibrato = dice.uniform(0.18, 0.45), 0, dice.uniform(0, 0.02)
    song = numpy.zeros(int((seconds + 4) * rate_hz))
    at_s, number = 0.1, 0
    while at_s < seconds:
        first, end = syllables[number % len(syllables)]
        number += 1
        beats = dice.choice((1, 1, 1, 2, 2, 4))
        degree = min(len(SCALE) - 1, max(0, degree + dice.choice((-3, -2, -1, -1, 0, 1, 1, 2, 3))))
        period = rate_hz / (home_hz * 2 ** (SCALE[degree] / 12))
        frames = int(beats * beat_s * dice.uniform(0.6, 1.0) * rate_hz)
        glide_s, depth = dice.uniform(0.01, 0.06), vibrato * (beats > 1)

        def tune(frame):
            time_s = frame / rate_hz
            return period * (1 + 0.06 * numpy.exp(-time_s / glide_s)) * (1 + depth * numpy.sin(2 * numpy.pi * 5.5 * time_s))

        vowel = hold(sound[first * hop : end * hop], periods[first:end], hop, frames, tune)
        fade = min(len(vowel) // 4, int(0.03 * rate_hz))
        vowel[frames - fade :] *= numpy.interp(numpy.arange(len(vowel) - frames + fade), (0, fade), (1, 0))
        before = sound[max(0, first * hop - int(CONSONANT_S * rate_hz)) : first * hop]
        before = before * numpy.interp(numpy.arange(len(before)), (0, len(before) / 2 + 1), (0, 1))
        start = int(at_s * rate_hz)
        song[max(0, start - len(before)) : start] += before[-start:] if start < len(before) else before
        song[start : start + len(vowel)] += vowel[: len(song) - start]
        at_s += beats * beat_s * (2 if dice.random() < 0.08 else 1)
    return song[: int(seconds * rate_hz)]


def make_songs(source, speech, roots, folder):
    """One file per training speaker: up to `seconds_a_voice` in tunes of 10 to 20 s, each on a few of the speaker's recordings."""
    for (split, group), clips in sorted(gather_groups(speech, roots).items()):
        name = folder / f"{speech['id']}-{group.replace('/', '-')}.wav"
        if split != "train" or name.exists():
            continue
        dice = random.Random(str(name.name))
        clips = sorted(clips, key=lambda clip: hash_fraction(clip.path.name + group))
        songs, made_s, rate_hz = [], 0.0, RATE_HZ
        while clips and made_s < source["seconds_a_voice"]:
            sound, heard_s = [], 0.0
            while clips and heard_s < 6:
                samples, rate_hz = decode_clip(clips.pop(), 1)
                sound.append(samples[:, 0] / max(1e-4, numpy.abs(samples).max()))
                heard_s += len(samples) / rate_hz
            song = sing(numpy.concatenate(sound).astype(float), rate_hz, dice, dice.uniform(10, 20)) if heard_s > 2 else None
            if song is not None:
                songs.append(0.5 * song / max(1e-4, numpy.abs(song).max()))
                made_s += len(song) / rate_hz
        if songs:
            soundfile.write(name, numpy.concatenate(songs).astype(numpy.float32), rate_hz, subtype="PCM_16")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", required=True)
    parser.add_argument("--roots", type=Path, required=True)
    options = parser.parse_args()
    sources = {source["id"]: source for source in load_data_list(options.list)}
    for source in sources.values():
        for speech in source.get("of", ()):
            folder = options.roots / source["folder"]
            folder.mkdir(parents=True, exist_ok=True)
            make_songs(source, sources[speech], options.roots, folder)


if __name__ == "__main__":
    main()
