"""Assigns the parts of a score to instruments and decides how every note is played: the table that `render_notes` renders.

All randomness comes from a NumPy generator, so the same seed gives the same arrangement anywhere.
"""

from dataclasses import dataclass

import numpy

RATE_HZ = 44100
STEMS = ("guitar_electric", "guitar_acoustic", "piano", "keys", "strings", "wind", "rest")
GUITARS = ("guitar_electric", "guitar_acoustic")
MOST_PARTS = 6
DOUBLED = 0.2
MOST_BODY_SEMITONES = 4
VIBRATO = {"guitar_electric": 0.25, "guitar_acoustic": 0.2, "keys": 0.1, "strings": 0.4, "wind": 0.5, "rest": 0.15}
SLIDES = {"guitar_electric": 0.3, "guitar_acoustic": 0.2, "strings": 0.3, "wind": 0.4}
SEMITONE = numpy.log(2) / 12
PROGRAMS = (
    (0, 4, "piano"), (4, 8, "keys"), (8, 16, "rest"), (16, 21, "keys"), (21, 22, "rest"), (22, 23, "wind"), (24, 26, "guitar_acoustic"),
    (26, 32, "guitar_electric"), (40, 46, "strings"), (48, 50, "strings"), (52, 55, "rest"), (56, 62, "wind"), (62, 64, "rest"), (64, 80, "wind"),
    (80, 104, "rest"), (110, 111, "strings"),
)  # fmt: skip
"""Ranges of General MIDI programs and their stems."""
AS_WRITTEN = 0.6
NOTE = numpy.dtype([
    ("part", "i8"), ("onset", "i8"), ("start", "i8"), ("frames", "i8"), ("ratio", "f8"), ("gain", "f4"), ("held", "f4"), ("attack", "f4"), ("release", "f4"),
    ("swing", "f4"), ("swing_rate", "f4"), ("slide", "f4"), ("slide_rate", "f4"),
])  # fmt: skip


@dataclass(frozen=True)
class Manner:
    """Settings that differ between the held-out set, which must not change, and training."""

    shares: tuple
    """Probability of each stem for a part."""
    sections: dict
    """Probability that a part is played by several of a family at once: double-tracked guitars, sections."""
    most_players: dict
    other_body: float
    """Probability that a part is played from notes recorded higher or lower, as on a smaller or larger instrument."""
    amplified: dict
    """Probability that an organ, clavinet or synthesizer goes through an amplifier, like electric guitars."""
    wah: dict
    """Probability that a part goes through a wah pedal."""


HELD_OUT = Manner(
    (0.17, 0.15, 0.15, 0.13, 0.15, 0.15, 0.1), {"guitar_electric": 0.2, "guitar_acoustic": 0.2, "strings": 0.3, "wind": 0.3},
    {"guitar_electric": 3, "guitar_acoustic": 3, "strings": 3, "wind": 3}, 0.0, {}, {},
)  # fmt: skip
TRAINING = Manner(
    (0.15, 0.12, 0.13, 0.19, 0.16, 0.14, 0.11), {"guitar_electric": 0.2, "guitar_acoustic": 0.2, "strings": 0.5, "wind": 0.3},
    {"guitar_electric": 3, "guitar_acoustic": 3, "strings": 5, "wind": 3}, 0.5, {"keys": 0.25, "rest": 0.2}, {"guitar_electric": 0.1, "keys": 0.12, "rest": 0.04},
)  # fmt: skip


@dataclass
class PlayedPart:
    stem: int
    drive_db: float
    """Overdrive of the amplifier; 0 is clean."""
    has_wah: bool


def stem_of_program(program):
    """The stem of a General MIDI program, or None."""
    name = next((name for low, high, name in PROGRAMS if low <= program < high), None)
    return None if name is None else STEMS.index(name)


def choose_stem(part, manner, dice):
    written = stem_of_program(part.program) if part.is_named else None
    if written is not None and dice.random_sample() < AS_WRITTEN:
        return written
    return int(dice.choice(len(STEMS), p=manner.shares))


def choose_instrument(bank, stem, part, dice):
    """Short notes for a part of short notes, long ones otherwise; plucked ones may play anything."""
    found = bank.instruments.get(STEMS[stem], [])
    is_short = float(numpy.median(part.duration_s)) < 0.22
    fitting = [one for one in found if one.articulation == "pluck" or (one.articulation == "short") == is_short]
    fitting = fitting or found
    return fitting[dice.randint(len(fitting))] if fitting else None


def into_range(pitch, instrument):
    """Transposes the part by whole octaves into the instrument's range; notes still outside are folded individually."""
    middle = float(numpy.median(pitch))
    shift = 0
    while middle + shift < instrument.lowest + 2 and shift < 48:
        shift += 12
    while middle + shift > instrument.highest - 2 and shift > -48:
        shift -= 12
    pitch = pitch + shift
    pitch = numpy.where(pitch < instrument.lowest, pitch + 12, pitch)
    return numpy.where(pitch > instrument.highest, pitch - 12, pitch)


def strum(onset_s, pitch, dice):
    """Staggers the notes of a chord by some milliseconds, downwards or upwards."""
    order = numpy.lexsort((pitch, numpy.round(onset_s, 2)))
    rank = numpy.zeros(len(order))
    for before, now in zip(order, order[1:]):
        rank[now] = rank[before] + 1 if abs(onset_s[now] - onset_s[before]) < 0.01 else 0
    return onset_s + rank * dice.uniform(0.003, 0.022)


def play_part(number, part, instrument, manner, dice):
    count = len(part.onset_s)
    pitch = into_range(part.pitch, instrument)
    velocity = numpy.clip(part.velocity * dice.uniform(0.7, 1.2) + 0.06 * dice.standard_normal(count), 0.1, 1)
    is_other_body = manner.other_body > 0 and dice.random_sample() < manner.other_body
    body = dice.uniform(-MOST_BODY_SEMITONES, MOST_BODY_SEMITONES) if is_other_body else 0.0
    note = instrument.choose(pitch + body, velocity, dice)
    onset_s = strum(part.onset_s, pitch, dice) if instrument.stem in GUITARS else part.onset_s
    onset_s = onset_s + 0.007 * dice.standard_normal(count)
    rings = instrument.articulation == "short" or (instrument.articulation == "pluck" and dice.random_sample() < 0.4)
    held_s = numpy.full(count, 4.0) if rings else numpy.maximum(part.duration_s * dice.uniform(0.85, 1.1), 0.06)
    is_slow = instrument.articulation == "sustain" and dice.random_sample() < 0.3
    tuning = dice.uniform(-0.12, 0.12)
    table = numpy.zeros(count, NOTE)
    table["part"] = number
    table["onset"] = (onset_s * RATE_HZ).astype(numpy.int64)
    table["start"], table["frames"] = instrument.start[note], instrument.frames[note]
    table["ratio"] = 2 ** ((pitch - instrument.pitch[note] + tuning) / 12)
    table["gain"] = 10 ** ((velocity - 1) * dice.uniform(15, 30) / 20)
    table["held"] = held_s * RATE_HZ
    table["attack"] = dice.uniform(0.03, 0.15) * RATE_HZ if is_slow else 32
    table["release"] = dice.uniform(0.06, 0.3) * RATE_HZ
    bend_notes(table, instrument.stem, dice)
    return table


def bend_notes(table, stem, dice):
    """Adds vibrato to all notes of some parts; some notes of some parts slide into their pitch, mostly from below."""
    count = len(table)
    if dice.random_sample() < VIBRATO.get(stem, 0):
        rate = 2 * numpy.pi * dice.uniform(4, 7) * dice.uniform(0.9, 1.1, count) / RATE_HZ
        table["swing_rate"] = rate
        table["swing"] = table["ratio"] * SEMITONE * dice.uniform(0.05, 0.4) * dice.uniform(0.3, 1, count) / rate
    if dice.random_sample() < SLIDES.get(stem, 0):
        frames = dice.uniform(0.012, 0.06, count) * RATE_HZ
        depth = dice.uniform(0.3, 2, count) * numpy.where(dice.random_sample(count) < 0.2, -1, 1) * (dice.random_sample(count) < 0.35)
        table["slide_rate"] = 1 / frames
        table["slide"] = table["ratio"] * SEMITONE * depth * frames


def choose_drive(instrument, manner, dice):
    if instrument.stem in manner.amplified and dice.random_sample() < manner.amplified[instrument.stem]:
        return dice.uniform(3, 25)
    if instrument.drive == "none" or dice.random_sample() < 0.45:
        return 0.0
    return dice.uniform(6, 40) if instrument.drive == "any" else dice.uniform(3, 15)


def arrange(bank, book, seconds, manner, dice):
    """([PlayedPart], note table) of a random window of a random song."""
    window = book.draw_window(seconds, dice)
    dice.shuffle(window)
    window = window[:MOST_PARTS]
    window += [part for part in window if dice.random_sample() < DOUBLED]
    parts, tables = [], []
    for part in window:
        stem = choose_stem(part, manner, dice)
        is_section = dice.random_sample() < manner.sections.get(STEMS[stem], 0)
        players = dice.randint(2, manner.most_players[STEMS[stem]] + 1) if is_section else 1
        for _ in range(players):
            instrument = choose_instrument(bank, stem, part, dice)
            if instrument is not None:
                tables.append(play_part(len(parts), part, instrument, manner, dice))
                has_wah = STEMS[stem] in manner.wah and dice.random_sample() < manner.wah[STEMS[stem]]
                parts.append(PlayedPart(stem, choose_drive(instrument, manner, dice), has_wah))
    return parts, numpy.concatenate(tables) if tables else numpy.zeros(0, NOTE)
