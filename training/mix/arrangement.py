"""Thirty seconds of a song: its notes with instruments, the times of its beats, and the labels of every frame.

A song of `sheet_book` gets a tempo that may drift, a key, instruments, and parts it lacks: drums, bass, chords in many patterns.
Everything here is numpy and runs in worker processes; `render_mono` turns the notes into sound.
"""

from dataclasses import dataclass

import numpy

from training.mix.sheet_book import NONE, TICKS, TONES, invented_song

SECONDS = 30
BEAT_RATE_HZ, CHORD_RATE_HZ = 50, 10
BEAT_FRAMES, CHORD_FRAMES = SECONDS * BEAT_RATE_HZ, SECONDS * CHORD_RATE_HZ
DRUM_BUS, CHORD_BUS, LEAD_BUS = range(3)
RATE_HZ = 22050
METRES = {(2, 0): 1, (3, 0): 2, (4, 0): 3, (5, 0): 4, (7, 0): 5, (2, 1): 6, (4, 1): 7}
"""Classes of the metre; 0 is none."""
UNKNOWN = -1
KICKS, SNARES, HATS, TOMS = (36, 35), (38, 40, 39, 37), (42, 44, 46, 51, 70, 54), (48, 45, 41)
NEAREST_DRUM = {35: 36, 40: 38, 44: 42, 53: 51, 59: 51, 57: 49, 55: 49, 52: 49, 50: 48, 47: 45, 43: 41, 82: 70, 69: 70}
LEADS = (0, 4, 11, 24, 25, 27, 29, 40, 52, 53, 54, 56, 65, 66, 71, 73, 80, 81, 85, 300, 300)
CHORDAL = (0, 0, 1, 2, 4, 5, 6, 7, 11, 16, 18, 24, 25, 26, 27, 28, 29, 30, 45, 46, 81, 104, 300, 300, 300)
PADS = (16, 18, 19, 21, 48, 49, 50, 52, 61, 62, 88, 89, 90, 91, 95, 300, 300)
BASSES = (32, 33, 34, 35, 36, 38, 39, 300)


@dataclass
class Example:
    notes: numpy.ndarray
    """NOTE rows."""
    beat: numpy.ndarray
    """0 none, 1 beat, 2 downbeat, and UNKNOWN, by frame at 50 Hz."""
    metre: int
    chord: numpy.ndarray
    """[frames at 10 Hz, 3]: root (12 for none), quality, bass; UNKNOWN."""
    key: numpy.ndarray


NOTE = numpy.dtype([(name, "f4") for name in ("ratio", "gain", "swing", "swing_rate")] + [(name, "i4") for name in ("bus", "onset", "held", "attack", "release", "start", "frames", "loops")])


class Notes:
    """Notes in ticks, by part."""

    def __init__(self):
        self.parts = []

    def add(self, instrument, bus, at, length, pitch, velocity, gain_db=0.0):
        if len(at):
            column = lambda values, kind: numpy.broadcast_to(numpy.asarray(values, kind), (len(at),))
            self.parts.append((instrument, bus, column(at, "f8"), column(length, "f8"), column(pitch, "i4"), column(velocity, "f4"), gain_db))


def beat_times(count, bpm, dice):
    """Times of beats at a tempo that is kept by a machine, drifts, bends, or jumps."""
    period, way = 60 / bpm, dice.random_sample()
    shape = numpy.zeros(count)
    if 0.5 < way < 0.85:
        walk = numpy.cumsum(dice.standard_normal(count) * dice.uniform(0.001, 0.008))
        shape = walk - walk.mean() + dice.standard_normal(count) * dice.uniform(0, 0.012)
    elif way < 0.93:
        shape = numpy.linspace(0, dice.uniform(-0.3, 0.3), count) if way > 0.5 else shape
    elif way > 0.5:
        shape = numpy.where(numpy.arange(count) > dice.randint(count // 4, count), dice.uniform(-0.35, 0.35), 0.0)
    times = numpy.cumsum(period * numpy.exp(numpy.clip(shape, -0.6, 0.6)))
    return times - times[0]


def pulses(first, count, step):
    return first + numpy.arange(count) * step


def drum_bar(song, style, dice):
    """One bar of drums, as (drum, tick, velocity) rows, for a style that was drawn for the song."""
    beats, per = song.length, 3 if song.compound else 4
    step, slots = TICKS / per, song.length * per
    rows = []
    hit = lambda drum, slot, velocity: rows.append((drum, slot * step, velocity))
    kick, snare, hat = style["kick"], style["snare"], style["hat"]
    for slot in range(slots):
        beat, part = divmod(slot, per)
        if style["hats"][slot % len(style["hats"])]:
            hit(hat, slot, 0.75 if part == 0 else 0.5)
        if style["kicks"][slot]:
            hit(kick, slot, 0.95)
        if style["snares"][slot]:
            hit(snare, slot, 0.9)
        if style["ghosts"] and part and dice.random_sample() < 0.06:
            hit(snare, slot, 0.25)
    return rows


def draw_drums(song, dice):
    beats, per = song.length, 3 if song.compound else 4
    slots = beats * per
    kicks, snares = numpy.zeros(slots, bool), numpy.zeros(slots, bool)
    way = dice.random_sample()
    back = {2: (1,), 3: (1, 2), 4: (1, 3), 5: (1, 3), 7: (2, 4, 6)}[beats]
    if song.length == 3:
        back = ((1, 2), (2,), (1,))[dice.randint(3)]
    kicks[0] = True
    if way < 0.3:
        kicks[::per] = True  # four on the floor
        snares[[beat * per for beat in back]] = dice.random_sample() < 0.85
    elif way < 0.8:
        snares[[beat * per for beat in back]] = True
        chance = dice.uniform(0.05, 0.35)
        spots = numpy.arange(slots)
        kicks |= (dice.random_sample(slots) < chance) & ~snares & ((spots % (per // 2 if per == 4 else 1)) == 0)
        if beats == 4 and dice.random_sample() < 0.7:
            kicks[2 * per] = dice.random_sample() < 0.6
    elif way < 0.92:
        snares[slots // 2 if slots % 2 == 0 else (beats // 2 + 1) * per] = True  # half time
        kicks |= dice.random_sample(slots) < 0.12
    else:
        kicks |= dice.random_sample(slots) < 0.2
        snares |= dice.random_sample(slots) < 0.12
    hats = {
        4: ((1, 0, 1, 0), (1, 0, 1, 0), (1, 1, 1, 1), (1, 0, 0, 0), (0, 0, 1, 0), (1, 0, 1, 1), (0, 0, 0, 0)),
        3: ((1, 1, 1), (1, 1, 1), (1, 0, 1), (1, 0, 0), (0, 0, 0)),
    }[per]
    return {
        "kick": KICKS[dice.randint(2)], "snare": SNARES[dice.choice(4, p=(0.5, 0.2, 0.2, 0.1))], "hat": HATS[dice.choice(6, p=(0.55, 0.05, 0.1, 0.18, 0.07, 0.05))],
        "hats": hats[dice.randint(len(hats))], "kicks": kicks, "snares": snares, "ghosts": dice.random_sample() < 0.3, "phrase": int(dice.choice((4, 4, 8, 2))),
        "crash": dice.random_sample() < 0.6, "drop": dice.random_sample() < 0.25, "fills": dice.random_sample() < 0.6,
    }  # fmt: skip


def play_drums(song, firsts, notes, kit, dice, gain_db):
    style = draw_drums(song, dice)
    bar, rows = drum_bar(song, style, dice), []
    rest = dice.randint(0, 8)
    for number, first in enumerate(firsts):
        place = number % style["phrase"]
        if style["drop"] and (number // style["phrase"]) % 8 == rest:
            continue
        own = bar if not style["ghosts"] else drum_bar(song, style, dice)
        is_fill = style["fills"] and place == style["phrase"] - 1 and dice.random_sample() < 0.7
        turn = (song.length - dice.choice((1, 1, 2)) * (song.length > 1)) * TICKS
        rows += [(drum, first + tick, velocity) for drum, tick, velocity in own if not (is_fill and tick >= turn)]
        if is_fill:
            per = 3 if song.compound else int(dice.choice((2, 4)))
            spots = pulses(turn, int((song.length * TICKS - turn) / TICKS * per), TICKS / per)
            rows += [((*TOMS, 38)[min(3, at * 4 // max(1, len(spots)))], first + tick, 0.7 + 0.2 * dice.random_sample()) for at, tick in enumerate(spots) if dice.random_sample() < 0.85]
        if style["crash"] and place == 0:
            rows.append((49, first, 0.8))
    drums, ticks, velocities = (numpy.array(column) for column in zip(*rows)) if rows else ((),) * 3
    notes.add(kit, DRUM_BUS, ticks, TICKS * 2, drums, velocities, gain_db)


def play_bass(song, firsts, notes, instrument, dice, gain_db):
    pattern, octave = dice.randint(7), 36 if dice.random_sample() < 0.75 else 24
    at, lengths, pitches = [], [], []
    put = lambda tick, length, pitch: (at.append(tick), lengths.append(length), pitches.append(pitch))
    low = lambda pitch_class: octave + (pitch_class - 4) % 12 + 4 - 12 * (octave == 36)
    for start, end, root, quality, bass in song.chords:
        if root == NONE:
            continue
        pitch, beats = low(int(bass)), max(1, (end - start) // TICKS)
        fifth = pitch + 7 if TONES[quality][2] == 7 else pitch
        unit = TICKS / (3 if song.compound else 2)
        if pattern == 0:
            put(start, end - start, pitch)
        elif pattern == 1:
            [put(start + beat * TICKS, 0.9 * TICKS, pitch) for beat in range(beats)]
        elif pattern == 2:
            [put(start + number * unit, 0.8 * unit, pitch) for number in range(int((end - start) / unit))]
        elif pattern == 3:
            [put(start + beat * TICKS, 0.8 * TICKS, fifth if beat % 2 else pitch) for beat in range(beats)]
        elif pattern == 4:
            [put(start + number * unit, 0.7 * unit, pitch + 12 * (number % 2)) for number in range(int((end - start) / unit))]
        elif pattern == 5:
            for tick in range(0, int(end - start), 4 * TICKS):
                [put(start + tick + offset * TICKS, 0.7 * TICKS, pitch) for offset in (0, 1.5, 2.5 if dice.random_sample() < 0.5 else 3) if tick + offset * TICKS < end - start]
        else:
            for beat in range(beats):
                step = pitch if beat == 0 else pitch + int(dice.choice((*TONES[quality], 2, -1, 12)))
                put(start + beat * TICKS, 0.95 * TICKS, step)
    notes.add(instrument, CHORD_BUS, at, lengths, pitches, 0.85, gain_db)


def voiced(song, root, quality, center, dice):
    """A chord's tones around a pitch, with one perhaps doubled or left out."""
    tones = [int(root) + tone for tone in TONES[quality]]
    pitches = [center + (tone - center + 6) % 12 - 6 for tone in tones]
    if dice.random_sample() < 0.4:
        pitches.append(pitches[dice.randint(len(pitches))] + 12)
    return pitches


def play_chords(song, notes, instrument, dice, gain_db, is_pad=False):
    """Blocks, beats, off-beats, strums, arpeggios, or held chords."""
    pattern, center, unit = 0 if is_pad else dice.randint(8), int(dice.randint(52, 68)), TICKS / (3 if song.compound else 2)
    if pattern == 7:
        unit /= 1 if song.compound else 2
    at, lengths, pitches, velocities = [], [], [], []
    put = lambda tick, length, pitch, velocity=0.8: (at.append(tick), lengths.append(length), pitches.append(pitch), velocities.append(velocity))
    order = dice.randint(3)
    strum_mask = dice.random_sample(16) < dice.uniform(0.4, 0.95)
    for start, end, root, quality, _ in song.chords:
        if root == NONE:
            continue
        tones = voiced(song, root, quality, center, dice)
        steps = int((end - start) / unit)
        if pattern == 0:
            [put(start, end - start, tone) for tone in tones]
        elif pattern == 1:
            [put(start + beat * TICKS, 0.8 * TICKS, tone) for beat in range(int((end - start) // TICKS)) for tone in tones]
        elif pattern == 2:
            [put(start + (beat + 0.5) * TICKS, 0.35 * TICKS, tone) for beat in range(int((end - start) // TICKS)) for tone in tones]
        elif pattern == 3:
            strum = 2 * dice.random_sample()
            for number in range(steps):
                if number == 0 or strum_mask[number % 16]:
                    ordered = sorted(tones, reverse=number % 2 == 1)
                    [put(start + number * unit + strum * rank, unit, tone, 0.85 if number % 2 == 0 else 0.65) for rank, tone in enumerate(ordered)]
        elif pattern == 4:
            [put(start, 0.9 * TICKS, tone) for tone in tones]
            if end - start >= 2 * TICKS:
                [put(start + 1.5 * TICKS, 0.4 * TICKS, tone) for tone in tones]
        else:
            ordered = sorted(tones) + ([sorted(tones)[0] + 12] if order else [])
            ordered = ordered[::-1] if order == 1 else ordered + ordered[-2:0:-1] if order == 2 else ordered
            [put(start + number * unit, unit * (1 if pattern < 7 else 1.5), ordered[number % len(ordered)], 0.75) for number in range(steps)]
    notes.add(instrument, CHORD_BUS, at, lengths, pitches, velocities, gain_db)


def play_melody(song, notes, instrument, dice, gain_db):
    """A random walk over the key's steps that prefers the chord's tones on beats."""
    if len(song.keys) == 0:
        return
    tonic, is_minor = int(song.keys[0][2]) % 12, song.keys[0][2] >= 12
    scale = {(tonic + step) % 12 for step in ((0, 2, 3, 5, 7, 8, 10) if is_minor else (0, 2, 4, 5, 7, 9, 11))}
    rhythm = (numpy.array((0.5, 0.5, 1, 1, 1.5, 2)) if not song.compound else numpy.array((1, 1, 2, 3, 1, 6)) / 3)[dice.randint(6, size=12)]
    tick, pitch, number = 0.0, int(dice.randint(62, 76)), 0
    at, lengths, pitches = [], [], []
    ends = song.chords[:, 1]
    while tick < len(song.places) * TICKS:
        length = float(rhythm[number % len(rhythm)]) * TICKS
        row = min(int(numpy.searchsorted(ends, tick, "right")), len(ends) - 1)
        root, quality = song.chords[row, 2:4]
        number += 1
        if dice.random_sample() < 0.84 and root != NONE:
            wanted = {(int(root) + tone) % 12 for tone in TONES[quality]} if tick % TICKS == 0 and dice.random_sample() < 0.75 else scale
            pitch = min(range(57, 84), key=lambda one: (one % 12 not in wanted) * 100 + abs(one - pitch - dice.randint(-4, 5)))
            at.append(tick), lengths.append(0.9 * length), pitches.append(pitch)
        tick += length
    notes.add(instrument, LEAD_BUS, at, lengths, pitches, 0.85, gain_db)


class Arranger:
    def __init__(self, songs, bank, dice):
        self.pop = [song for song in songs if song.name.startswith("pop909")]
        self.mma = [song for song in songs if song.name.startswith("mma")]
        self.odd = [song for song in self.mma if (song.length, song.compound) != (4, 0)]
        self.bank, self.dice = bank, dice

    def instrument(self, programs):
        program = programs[self.dice.randint(len(programs))]
        found = self.bank.by_program.get(program) or self.bank.pitched
        return found[self.dice.randint(len(found))]

    def kit(self):
        return self.bank.drums[self.dice.randint(len(self.bank.drums))]

    def draw_song(self):
        way = self.dice.random_sample()
        pick = lambda songs: songs[self.dice.randint(len(songs))]
        if way < 0.42 and self.pop:
            return pick(self.pop), "pop"
        if way < 0.72 and self.mma:
            return pick(self.odd if self.odd and self.dice.random_sample() < 0.3 else self.mma), "mma"
        return invented_song(self.dice), "invented"

    def arrange(self, song, kind):
        dice, notes = self.dice, Notes()
        gain = lambda spread=4: float(dice.normal(0, spread))
        chance = lambda value: dice.random_sample() < value
        firsts = numpy.flatnonzero(song.places == 0) * TICKS
        has_drums, has_bass = chance(0.8), chance(0.85)
        own_drums = False
        if kind == "mma":
            own_drums = chance(0.7) and has_drums
            for program, at, length, pitch, velocity in song.parts:
                if program == 128:
                    if own_drums:
                        notes.add(self.kit(), DRUM_BUS, at, TICKS * 2, pitch, velocity / 127, gain(3))
                elif program >= 200:
                    if chance(0.6):
                        notes.add(self.instrument(LEADS), LEAD_BUS, at, length, pitch, velocity / 127, gain())
                else:
                    is_bass = numpy.median(pitch) < 48
                    if is_bass and not has_bass:
                        continue
                    keeps = program in self.bank.by_program and chance(0.6)
                    instrument = self.instrument((program,) if keeps else BASSES if is_bass else CHORDAL)
                    notes.add(instrument, CHORD_BUS, at, length, pitch, velocity / 127, gain())
            if chance(0.2):
                play_chords(song, notes, self.instrument(PADS), dice, gain() - 4, is_pad=True)
        else:
            parts = dict((program, rest) for program, *rest in song.parts)
            if 0 in parts and chance(0.75):
                at, length, pitch, velocity = parts[0]
                notes.add(self.instrument(CHORDAL if chance(0.7) else (0, 1, 4)), CHORD_BUS, at, length, pitch, velocity / 127, gain())
                has_bass = chance(0.6)
            else:
                play_chords(song, notes, self.instrument(CHORDAL), dice, gain())
                if chance(0.35):
                    play_chords(song, notes, self.instrument(CHORDAL), dice, gain() - 3)
            if chance(0.35):
                play_chords(song, notes, self.instrument(PADS), dice, gain() - 3, is_pad=True)
            if has_bass:
                play_bass(song, firsts, notes, self.instrument(BASSES), dice, gain())
            for program in (200, 201):
                if program in parts and chance(0.75 if program == 200 else 0.5):
                    at, length, pitch, velocity = parts[program]
                    notes.add(self.instrument(LEADS), LEAD_BUS, at, length, pitch, velocity / 127, gain())
            if kind == "invented" and chance(0.7):
                play_melody(song, notes, self.instrument(LEADS), dice, gain())
        if has_drums and not own_drums:
            play_drums(song, firsts, notes, self.kit(), dice, gain(3))
            if chance(0.2):
                play_drums(song, firsts, notes, self.kit(), dice, gain(3) - 8)
        return notes

    def draw_tempo(self, song):
        center = {(2, 1): 68, (4, 1): 72, (3, 0): 120, (2, 0): 112}.get((song.length, song.compound), 108)
        return float(numpy.clip(center * numpy.exp(self.dice.normal(0, 0.28)), 46, 210))

    def draw(self):
        dice = self.dice
        song, kind = self.draw_song()
        is_free = dice.random_sample() < 0.06
        times = beat_times(len(song.places), self.draw_tempo(song), dice)
        if is_free:
            times = numpy.cumsum(numpy.exp(dice.normal(0, 0.45, len(times))))
            times -= times[0]
        notes = self.arrange(song, kind)
        if is_free:
            notes.parts = [part for part in notes.parts if part[1] != DRUM_BUS]
            if dice.random_sample() < 0.6:
                notes.parts = []
                play_chords(song, notes, self.instrument(PADS), dice, 0.0, is_pad=True)
        start_s = max(0.0, dice.uniform(-2.0, times[-1] - SECONDS)) if times[-1] > SECONDS else 0.0
        if dice.random_sample() < 0.1:
            start_s = -dice.uniform(0, 4)
        swing = dice.uniform(0.56, 0.68) if not song.compound and kind != "mma" and dice.random_sample() < 0.15 else 0.5
        ticks = numpy.arange(len(times)) * TICKS

        def seconds_at(tick):
            tick = numpy.asarray(tick, "f8")
            whole, part = numpy.divmod(tick, TICKS)
            part = part / TICKS
            part = numpy.where(part < 0.5, part * 2 * swing, swing + (part - 0.5) * 2 * (1 - swing)) if swing != 0.5 else part
            return numpy.interp((whole + part) * TICKS, ticks, times) - start_s

        shift = int(dice.randint(-5, 7))
        tuning = dice.normal(0, 0.18) if dice.random_sample() < 0.4 else 0.0
        rows, onsets, lasts, leads = self.table(notes, seconds_at, shift, tuning)
        return self.labelled(song, rows, onsets, lasts, leads, seconds_at(ticks), seconds_at, shift, is_free)

    def table(self, notes, seconds_at, shift, tuning):
        dice, found, heard = self.dice, [], []
        for instrument, bus, at, length, pitch, velocity, gain_db in notes.parts:
            onset, end = seconds_at(at), seconds_at(at + length)
            keep = (onset < SECONDS) & (end > -0.2) & (onset > -3)
            if not keep.any():
                continue
            onset, end, pitch, velocity = onset[keep], end[keep], pitch[keep], velocity[keep]
            onset = onset + dice.normal(0, 1, len(onset)) * dice.choice((0.0, 0.003, 0.007, 0.011))
            row = numpy.zeros(len(onset), NOTE)
            if bus == DRUM_BUS:
                known = set(instrument.pitch.astype(int))
                wanted = numpy.array([one if one in known else NEAREST_DRUM.get(int(one), one) for one in pitch.astype(int)])
                is_there = numpy.isin(wanted, instrument.pitch.astype(int))
                row, onset, end, velocity, wanted = row[is_there], onset[is_there], end[is_there], velocity[is_there], wanted[is_there]
                if not len(row):
                    continue
                chosen = instrument.choose(wanted.astype("f4"))
                row["ratio"] = 1.0
            else:
                played = pitch + shift
                chosen = instrument.choose(played.astype("f4"))
                row["ratio"] = 2 ** ((played - instrument.pitch[chosen] + tuning + dice.normal(0, 0.03)) / 12)
            row["gain"] = velocity ** 1.3 * 10 ** (gain_db / 20)
            row["bus"], row["onset"] = bus, numpy.round(onset * RATE_HZ)
            row["held"] = numpy.maximum(0.03, end - onset) * RATE_HZ
            row["attack"], row["release"] = int(dice.uniform(10, 60)), int(RATE_HZ * dice.uniform(0.03, 0.25))
            row["start"], row["frames"], row["loops"] = instrument.start[chosen], instrument.frames[chosen], instrument.kind == "sustain"
            if bus == LEAD_BUS and dice.random_sample() < 0.5:
                row["swing"], row["swing_rate"] = dice.uniform(2, 14), 2 * numpy.pi * dice.uniform(4.5, 6.5) / RATE_HZ
            found.append(row)
            heard.append((onset, numpy.minimum(end, onset + 2.5), bus))
        rows = numpy.concatenate(found) if found else numpy.zeros(0, NOTE)
        pick = lambda test, column: numpy.concatenate([part[column] for part in heard if test(part[2])] or [numpy.zeros(0)])
        return rows, pick(lambda bus: True, 0), (pick(lambda bus: bus == CHORD_BUS, 0), pick(lambda bus: bus == CHORD_BUS, 1)), pick(lambda bus: bus == LEAD_BUS, 0)

    @staticmethod
    def sounding(starts, ends, slack_s):
        """For every chord frame, whether one of the notes sounds near it."""
        time = numpy.arange(CHORD_FRAMES) / CHORD_RATE_HZ
        level = numpy.zeros(CHORD_FRAMES + 1)
        numpy.add.at(level, numpy.clip(numpy.ceil((starts - slack_s) * CHORD_RATE_HZ), 0, CHORD_FRAMES).astype(int), 1)
        numpy.add.at(level, numpy.clip(numpy.floor((ends + slack_s) * CHORD_RATE_HZ) + 1, 0, CHORD_FRAMES).astype(int), -1)
        return numpy.cumsum(level)[: len(time)] > 0

    def labelled(self, song, rows, onsets, harmony, leads, beats, seconds_at, shift, is_free):
        beat = numpy.zeros(BEAT_FRAMES, "i1")
        frame = numpy.round(beats * BEAT_RATE_HZ).astype(int)
        inside = (frame >= 0) & (frame < BEAT_FRAMES)
        if not is_free:
            beat[frame[inside]] = 1
            beat[frame[inside & (song.places == 0)]] = 2
            near = numpy.zeros(BEAT_FRAMES, bool)  # nobody can tell beats where nothing plays
            spots = numpy.clip(numpy.round(onsets * BEAT_RATE_HZ), 0, BEAT_FRAMES - 1).astype(int)
            for spot in numpy.unique(spots // 25):
                near[max(0, spot * 25 - 75) : spot * 25 + 100] = True
            beat[~near] = UNKNOWN
        time = numpy.arange(CHORD_FRAMES) / CHORD_RATE_HZ
        chord, key = numpy.full((CHORD_FRAMES, 3), UNKNOWN, "i1"), numpy.full(CHORD_FRAMES, UNKNOWN, "i1")
        starts, ends = seconds_at(song.chords[:, 0]), seconds_at(song.chords[:, 1])
        row = numpy.searchsorted(starts, time, "right") - 1
        valid = (row >= 0) & (time < ends[row.clip(0)])
        own = song.chords[row.clip(0), 2:]
        is_chord = valid & (own[:, 0] != NONE)
        chord[is_chord] = numpy.stack([(own[:, 0] + shift) % 12, own[:, 1], (own[:, 2] + shift) % 12], 1)[is_chord]
        plays = self.sounding(*harmony, 0.15)
        chord[~plays] = UNKNOWN
        silent = ~self.sounding(numpy.concatenate([harmony[0], leads]), numpy.concatenate([harmony[1], leads + 2.0]), 0.4)
        chord[silent] = (12, UNKNOWN, 12)
        known = {(2, 0), (3, 0), (4, 0), (5, 0), (7, 0), (2, 1), (4, 1)}
        metre = METRES[(song.length, song.compound)] if not is_free and (song.length, song.compound) in known else 0 if is_free else UNKNOWN
        for start, end, label in song.keys:
            during = (time >= seconds_at(start)) & (time < seconds_at(end)) & ~silent
            key[during] = (label % 12 + shift) % 12 + 12 * (label >= 12)
        return Example(rows, beat, metre, chord, key)
