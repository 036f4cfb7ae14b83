"""Speech made to sing: the syllables of a speaker on the notes of a tune, each held at its pitch → WAV files, a speaker a file.

    python3 -m training.prepare.sung_speech --list training/data/dialogue-music-effects.json --roots SOURCES

A source of a data list may name sources of speech (`of`); the files lie in its folder afterwards and are packed as its own. Singing alone is rare
among recordings that may be used, and its few voices teach a network who sings rather than what singing is: here the voice is that of speech, and only
steady pitch and time tell the two apart.
"""

import argparse
import random
from dataclasses import dataclass
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
SCALE = (0, 2, 4, 5, 7, 9, 11)


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
    """(first, end) of the voiced spans that are long enough to be held, in steps of 5 ms; long ones are split."""
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


@dataclass(frozen=True)
class Note:
    start_s: float
    held_s: float
    degree: int
    """Step of the major scale above the home note; below it negative."""
    glide_s: float
    vibrato: float


def compose(dice, seconds):
    """The notes of a tune of at most `seconds`."""
    beat_s, degree, vibrato = dice.uniform(0.18, 0.45), 0, dice.uniform(0, 0.02)
    notes, at_s = [], 0.1
    while at_s < seconds:
        beats = dice.choice((1, 1, 1, 2, 2, 4))
        degree = min(len(SCALE), max(0, degree + dice.choice((-3, -2, -1, -1, 0, 1, 1, 2, 3))))
        held_s = beats * beat_s * dice.uniform(0.6, 1.0)
        notes.append(Note(at_s, held_s, degree, dice.uniform(0.01, 0.06), vibrato * (beats > 1)))
        at_s += beats * beat_s * (2 if dice.random() < 0.08 else 1)
    return notes


def pitch_of(degree):
    """Semitones above the home note."""
    return 12 * (degree // len(SCALE)) + SCALE[degree % len(SCALE)]


class Voice:
    """A recording of speech, cut into syllables that can be sung."""

    def __init__(self, sound, rate_hz):
        self.sound, self.rate_hz, self.hop = sound, rate_hz, int(HOP_S * rate_hz)
        self.periods = track_pitch(sound, rate_hz)
        self.syllables = list(find_syllables(self.periods))

    @property
    def can_sing(self):
        return len(self.syllables) >= 4

    @property
    def pitch_hz(self):
        return self.rate_hz / numpy.median(self.periods[self.periods > 0])

    def vowel(self, syllable, note, home_hz):
        """A syllable's voiced part, held at the pitch of a note."""
        first, end = syllable
        period = self.rate_hz / (home_hz * 2 ** (pitch_of(note.degree) / 12))
        frames = int(note.held_s * self.rate_hz)

        def tune(frame):
            time_s = frame / self.rate_hz
            return period * (1 + 0.06 * numpy.exp(-time_s / note.glide_s)) * (1 + note.vibrato * numpy.sin(2 * numpy.pi * 5.5 * time_s))

        vowel = hold(self.sound[first * self.hop : end * self.hop], self.periods[first:end], self.hop, frames, tune)
        fade = min(len(vowel) // 4, int(0.03 * self.rate_hz))
        vowel[frames - fade :] *= numpy.interp(numpy.arange(len(vowel) - frames + fade), (0, fade), (1, 0))
        return vowel

    def consonant(self, syllable):
        """What sounds before a syllable's voiced part, faded in."""
        first = syllable[0] * self.hop
        before = self.sound[max(0, first - int(CONSONANT_S * self.rate_hz)) : first]
        return before * numpy.interp(numpy.arange(len(before)), (0, len(before) / 2 + 1), (0, 1))

    def sing(self, notes, home_hz, seconds, first_syllable=0):
        """The notes on the syllables in order, repeated if they run out."""
        song = numpy.zeros(int((seconds + 4) * self.rate_hz))
        for number, note in enumerate(notes):
            syllable = self.syllables[(first_syllable + number) % len(self.syllables)]
            vowel, before, start = self.vowel(syllable, note, home_hz), self.consonant(syllable), int(note.start_s * self.rate_hz)
            song[max(0, start - len(before)) : start] += before[-start:] if start < len(before) else before
            song[start : start + len(vowel)] += vowel[: len(song) - start]
        return song[: int(seconds * self.rate_hz)]


def sing_a_tune(sound, rate_hz, dice, seconds):
    """A new tune of at most `seconds` sung with the syllables of `sound`; None if it has too few."""
    voice = Voice(sound, rate_hz)
    if not voice.can_sing:
        return None
    home_hz = voice.pitch_hz * 2 ** dice.uniform(0, 0.5)
    return voice.sing(compose(dice, seconds), home_hz, seconds)


def gather_sound(clips, least_s):
    """Takes clips from the end of the list until they last `least_s`: (sound, rate, seconds)."""
    sound, heard_s, rate_hz = [], 0.0, RATE_HZ
    while clips and heard_s < least_s:
        samples, rate_hz = decode_clip(clips.pop(), 1)
        sound.append(samples[:, 0] / max(1e-4, numpy.abs(samples).max()))
        heard_s += len(samples) / rate_hz
    return numpy.concatenate(sound).astype(float), rate_hz, heard_s


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
            sound, rate_hz, heard_s = gather_sound(clips, 6)
            song = sing_a_tune(sound, rate_hz, dice, dice.uniform(10, 20)) if heard_s > 2 else None
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
