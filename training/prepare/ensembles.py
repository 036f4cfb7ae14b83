"""Songs for lead and backing vocals: voices made to sing one tune together, and real stems of one song → reels of several tracks end to end.

    python3 -m training.prepare.ensembles --list training/data/vocals-lead.json --roots SOURCES --out PACKS --manifest PACKS/reels.jsonl

The GPU cannot align voices later, so a reel has all tracks of a song, each as long as the others: `ensemble` the tracks of TRACKS in mono, `pair` the lead
and the sum of the backing vocals in stereo. Held-out speakers sing in held-out songs only.
"""

import argparse
import random
from dataclasses import replace
from pathlib import Path

import numpy

from training.prepare.pack import RATE_HZ, encode, extend_manifest, gather_groups, sum_stems, write_index
from training.prepare.sources import load_data_list
from training.prepare.splits import hash_fraction
from training.prepare.sung_speech import Voice, compose, gather_sound

TRACKS = ("lead", "double", "harmony-left", "harmony-right", "choir-left", "choir-right")
SONG_S = 20
LATE_S = (0.01, 0.04)
"""How far the onsets of a double are from the lead's."""
DETUNED_CENTS = 15
INTERVALS = (-7, -5, -3, -2, 2, 3, 5, 7)
"""Scale steps from the lead to a harmony: thirds, fourths, sixths and octaves."""
OWN_VOICE = 0.4
"""Probability that a harmony is sung by the lead's voice."""
OOH = 0.35
"""Probability that the choir holds vowels instead of singing the words."""
LEAST_HEARD_S, HEARD_S = 3, 8
PAIR_S = 80
"""Taken from a real song."""


def shift(notes, steps):
    """The same tune `steps` of the scale higher."""
    return [replace(note, degree=note.degree + steps) for note in notes]


def humanize(notes, dice):
    """The same tune, sung by somebody else: onsets 10 to 40 ms off."""
    return [replace(note, start_s=max(0.0, note.start_s + dice.choice((-1, 1)) * dice.uniform(*LATE_S))) for note in notes]


def tie(notes):
    """One long note for every two: an ooh under the tune."""
    return [replace(note, held_s=max(note.held_s, 0.9 * (after.start_s + after.held_s - note.start_s))) for note, after in zip(notes[::2], notes[1::2])]


def detuned(home_hz, dice):
    return home_hz * 2 ** (dice.uniform(-DETUNED_CENTS, DETUNED_CENTS) / 1200)


def near_pitch(voice, home_hz):
    """The octave of the home note that suits the voice best."""
    return home_hz * 2 ** round(numpy.log2(voice.pitch_hz * 2**0.25 / home_hz))


def to_rate(song, rate_hz):
    """float32 at the packs' rate, exactly SONG_S long."""
    spectrum = numpy.fft.rfft(song)
    kept = numpy.zeros(SONG_S * RATE_HZ // 2 + 1, complex)
    bins = min(len(kept), len(spectrum))
    kept[:bins] = spectrum[:bins]
    return (numpy.fft.irfft(kept, SONG_S * RATE_HZ) * (SONG_S * RATE_HZ / len(song))).astype(numpy.float32)


def perform(voice, notes, home_hz, dice):
    """The tune by one voice at a common level, beginning with a random syllable."""
    song = to_rate(voice.sing(notes, home_hz, SONG_S, dice.randrange(len(voice.syllables))), voice.rate_hz)
    return 0.1 * song / max(1e-4, float(numpy.sqrt((song**2).mean())))


def choir(voices, notes, home_hz, dice):
    """Several voices in two to four parts."""
    parts = [shift(notes, steps) for steps in dice.sample((0, *INTERVALS), dice.randint(2, 4))]
    songs = [perform(voice, humanize(parts[at % len(parts)], dice), detuned(near_pitch(voice, home_hz), dice), dice) for at, voice in enumerate(voices)]
    return sum(songs) / numpy.sqrt(len(songs))


def make_song(voices, dice):
    """float32 [TRACKS, frames] of a tune with the first of the voices as the lead; the others harmonize and are the choir."""
    lead, *others = voices
    notes = compose(dice, SONG_S - 1.0)
    home_hz = lead.pitch_hz * 2 ** dice.uniform(0, 0.5)
    harmonies = []
    for steps in dice.sample(INTERVALS, 2):
        voice = lead if dice.random() < OWN_VOICE else dice.choice(others)
        harmonies.append(perform(voice, humanize(shift(notes, steps), dice), detuned(near_pitch(voice, home_hz) if voice is not lead else home_hz, dice), dice))
    sung = tie(notes) if dice.random() < OOH else notes
    half = max(1, len(others) // 2)
    sides = [choir(side, sung, home_hz, dice) for side in (others[:half], others[half:] or others[:half])]
    double = perform(lead, humanize(notes, dice), detuned(home_hz, dice), dice)
    return numpy.stack([perform(lead, notes, home_hz, dice), double, *harmonies, *sides])


def to_reel(tracks):
    """[tracks, frames, channels] → one reel, at a level that does not clip."""
    reel = numpy.concatenate(list(tracks))
    return (0.7 * reel / max(1e-4, float(numpy.abs(reel).max()))).astype(numpy.float32)


def gather_voices(sources, roots, wanted_split):
    """[(name, clips)] of every speaker of a split, whatever source they come from, in an order that depends on names only."""
    voices = [(f"{source['id']}:{group}", clips) for source in sources for (split, group), clips in gather_groups(source, roots).items() if split == wanted_split]
    return sorted(voices, key=lambda voice: hash_fraction(voice[0]))


def make_voice(name, clips, turn):
    """A few of the speaker's recordings as a voice, other ones each turn; None if they can't be sung."""
    clips = sorted(clips, key=lambda clip: hash_fraction(f"{turn}:{clip.path.name}:{name}"))
    sound, rate_hz, heard_s = gather_sound(clips, HEARD_S)
    voice = Voice(sound, rate_hz) if heard_s >= LEAST_HEARD_S else None
    return voice if voice is not None and voice.can_sing else None


def list_ensembles(sources, roots, split, songs):
    """Yields (write, seconds, voices) per song. Every voice leads in turn; four to eight others are drawn for it."""
    voices = gather_voices(sources, roots, split)
    for number in range(songs):
        dice = random.Random(f"{split}:{number}")
        chosen = [voices[number % len(voices)], *dice.sample(voices, min(len(voices), dice.randint(4, 8)))]
        singers = [voice for voice in (make_voice(*each, number // len(voices)) for each in chosen) if voice is not None]
        if len(singers) > 2:
            reel = to_reel(make_song(singers, dice)[..., None])
            yield lambda path, reel=reel: encode(reel, RATE_HZ, path), len(reel) / RATE_HZ, len(singers)


def most_sung_second(tracks):
    """Where the PAIR_S begin in which the quieter of two tracks is loudest, second by second."""
    seconds = min(map(len, tracks)) // RATE_HZ
    levels = [numpy.sqrt((track[: seconds * RATE_HZ] ** 2).reshape(seconds, -1).mean(1)) for track in tracks]
    both = numpy.concatenate([[0], numpy.cumsum(numpy.minimum(*levels))])
    return int(numpy.argmax(both[PAIR_S:] - both[:-PAIR_S])) if seconds > PAIR_S else 0


def list_pairs(source, roots, split):
    """Yields (write, seconds, stems) per song that has a lead and backing vocals: the PAIR_S in which both sing most."""
    for (its_split, _), clips in sorted(gather_groups(source, roots).items()):
        is_lead = lambda clip: source["lead"] in clip.path.name
        sides = [[clip for clip in clips if is_lead(clip)], [clip for clip in clips if not is_lead(clip)]]
        if its_split != split or not all(sides):
            continue
        tracks = [sum_stems(side, 2)[0] for side in sides]
        start = most_sung_second(tracks) * RATE_HZ
        reel = to_reel([track[start : start + PAIR_S * RATE_HZ] for track in tracks])
        yield lambda path, reel=reel: encode(reel, RATE_HZ, path), len(reel) / RATE_HZ, len(clips)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", required=True)
    parser.add_argument("--roots", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--manifest", type=Path, required=True)
    parser.add_argument("--pack-mib", type=float, default=17.5)
    parser.add_argument("--songs", type=int, default=100, help="of training; a fifth as many are held out")
    options = parser.parse_args()
    sources = load_data_list(options.list)
    voices = [source for source in sources if source["role"] == "voice"]
    for split, songs in (("held-out", options.songs // 5), ("train", options.songs)):
        write_index(options.out, "ensemble", split, "ensembles", list_ensembles(voices, options.roots, split, songs))
        for source in sources:
            if source["role"] == "pair":
                write_index(options.out, "pair", split, source["id"], list_pairs(source, options.roots, split))
    extend_manifest(options.manifest, options.out, options.pack_mib)


if __name__ == "__main__":
    main()
