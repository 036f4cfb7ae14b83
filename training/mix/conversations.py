"""Conversations of 1 to 6 people with who speaks when: turns, backchannels, 5 to 27 % overlap, levels, rooms, telephones and noise.

    python3 -m training.mix.conversations --roots SOURCES --split test --count 100 --out FOLDER            counting people
    python3 -m training.mix.conversations --roots SOURCES --split test --count 6 --out FOLDER --long       ten minutes of 2 to 4, with each voice alone

Writes NAME.wav (16 kHz, 16 bits) and NAME.rttm; with --long also NAME-s0.wav …. Splits share nobody: `test` are the speakers that the data list keeps out of
training; `development` and `background` (what is learnt of speakers in general) divide the others. No utterance comes twice in a conversation.
Rooms are those of `held_out_voices`, which are not training's.
"""

import argparse
import json
import math
from pathlib import Path

import numpy

from training.mix.held_out_voices import SOUND_M_PER_S, convolve, draw_shoebox, level, respond
from training.prepare.splits import find_part, hash_fraction

RATE_HZ = 16000
STEP = RATE_HZ // 50
SEEDS = {"test": 20261118, "development": 20261119, "background": 20261120}
SENTENCES = ("voices-cisco-clean", "voices-cisco-reference-noisy", "voices-cisco-reference-reverb", "iban")
WORDS = ("arabic-commands", "audiomnist-voices", "voices-cisco-words-chinese", "voices-cisco-words-french", "voices-cisco-words-german", "voices-cisco-words-spanish")
LEAST_SPEECH_S = 14
MOST_SPEECH_S = 60
LONG_S = 600
MOST_DECODED_S = 120
WORDS_SHARE = 0.15
"""Share of people who say single words and digits instead of sentences."""


def next_fast(length):
    """The next length with a fast transform: 2, 3 or 5 times a power of two."""
    return min(factor * 2 ** max(0, math.ceil(math.log2(length / factor))) for factor in (2, 3, 5))


def to_rate(sound, rate_hz):
    """Pads to whole tenths of a second, so that both lengths have fast transforms."""
    if rate_hz == RATE_HZ:
        return sound
    tenths = -(-len(sound) * 10 // rate_hz)
    sound = numpy.pad(sound, (0, tenths * rate_hz // 10 - len(sound)))
    length = tenths * RATE_HZ // 10
    spectrum = numpy.fft.rfft(sound)
    kept = numpy.zeros(length // 2 + 1, complex)
    bins = min(len(kept), len(spectrum))
    kept[:bins] = spectrum[:bins]
    return numpy.fft.irfft(kept, length) * (length / len(sound))


def active_steps(sound, loudest=None):
    """Which 20 ms steps contain speech: within 35 dB of the loudest, pauses up to 0.3 s closed."""
    power = (sound[: len(sound) // STEP * STEP].reshape(-1, STEP) ** 2).mean(1)
    loud = power > max(1e-9, (loudest or power.max(initial=0)) * 10**-3.5)
    return close(loud, 15)


def close(loud, most):
    closed = loud.copy()
    at = numpy.flatnonzero(loud)
    for before, behind in zip(at[:-1], at[1:]):
        if behind - before <= most:
            closed[before:behind] = True
    return closed


def runs(active):
    edges = numpy.flatnonzero(numpy.diff(numpy.concatenate([[0], active.astype(int), [0]])))
    return list(zip(edges[::2], edges[1::2]))


def load_speakers(sources, roots, part, least_s, most_s):
    """{speaker: (kind, [utterance, …])} with at least `least_s` of speech each, all utterances at the same level."""
    from training.prepare.pack import gather_groups
    from training.prepare.screen import screen
    from training.prepare.sources import decode_clip

    found = {}
    for source in sources:
        kind = "sentences" if source["id"] in SENTENCES else "words" if source["id"] in WORDS else None
        if kind is None:
            continue
        family = source.get("split_key", source["id"])
        for (split, group), clips in sorted(gather_groups(source, roots).items()):
            speaker = f"{family}-{group}"
            if find_part(split, speaker) == part:
                found.setdefault(speaker, (kind, []))[1].extend(clips)
    speakers = {}
    for speaker, (kind, clips) in sorted(found.items()):
        utterances, seconds = [], 0.0
        for clip in sorted(clips, key=lambda clip: hash_fraction(clip.path.name + speaker)):
            if seconds >= most_s:
                break
            samples, rate_hz = decode_clip(clip, 1)
            piece = screen(samples, rate_hz, keep_pauses=False)
            if piece is None:
                continue
            sound = to_rate(piece[:, 0], rate_hz)
            utterances.append((sound / level(sound)).astype(numpy.float32))
            seconds += len(sound) / RATE_HZ
        if seconds >= least_s:
            speakers[speaker] = (kind, utterances)
    return speakers


class Talker:
    """The phrases of one person, each used once."""

    def __init__(self, kind, utterances, budget_s, dice):
        self.dice, self.phrases, self.budget_s = dice, [], budget_s
        for at in dice.permutation(len(utterances)):
            sound = utterances[at]
            ends = [to * STEP for _, to in runs(close((sound[: len(sound) // STEP * STEP].reshape(-1, STEP) ** 2).mean(1) > 0.003, 8))]
            start = 0
            for end in ends[:-1] + [len(sound)]:
                if end - start >= 0.3 * RATE_HZ:
                    self.phrases.append(sound[start:end])
                    start = end
        self.kind = kind

    @property
    def is_done(self):
        return not self.phrases or self.budget_s < 0.5

    def say(self, seconds):
        """Phrases of about this many seconds in total."""
        pieces = []
        while self.phrases and (not pieces or sum(map(len, pieces)) < seconds * RATE_HZ):
            pieces.append(self.phrases.pop())
            if self.kind == "words":
                pieces.append(numpy.zeros(int(self.dice.uniform(0.03, 0.25) * RATE_HZ), numpy.float32))
        sound = numpy.concatenate(pieces)
        self.budget_s -= len(sound) / RATE_HZ
        return sound

    def say_little(self):
        """A backchannel: a word of up to a second or so; None if there is none that short."""
        for at, phrase in enumerate(self.phrases):
            if len(phrase) < 1.1 * RATE_HZ:
                self.budget_s -= len(phrase) / RATE_HZ
                return self.phrases.pop(at)
        return None


def draw_turns(talkers, overlap, longest_s, dice):
    """[(person, first frame, sound)]: people with more left to say speak more often; turns start up to `longest_s` early while there is less overlap than wanted."""
    turns, end, last, spoken, both = [], int(dice.uniform(0, 1.5) * RATE_HZ), None, 0, 0
    while True:
        ready = [who for who, talker in enumerate(talkers) if not talker.is_done]
        if len(ready) > 1:
            ready = [who for who in ready if who != last]
        if not ready:
            return turns
        chances = numpy.array([max(0.5, talkers[who].budget_s) for who in ready])
        who = ready[dice.choice(len(ready), p=chances / chances.sum())]
        sound = talkers[who].say(min(14.0, math.exp(dice.normal(1.2, 0.65))))
        start = end + int(min(2.0, dice.exponential(0.45)) * RATE_HZ)
        if last is not None and last != who and both < 1.4 * overlap * spoken:
            before = next(sound for person, _, sound in reversed(turns) if person == last)
            start = end - int(min(dice.uniform(0.3, longest_s) * RATE_HZ, 0.6 * len(before), 0.6 * len(sound)))
            both += end - start
        turns.append((who, start, sound))
        spoken += len(sound)
        others = [other for other, talker in enumerate(talkers) if other != who and not talker.is_done]
        if others and len(sound) > 3 * RATE_HZ and dice.uniform() < 0.35:
            other = others[dice.randint(len(others))]
            word = talkers[other].say_little()
            if word is not None:
                at = start + int(dice.uniform(0.3, 0.8) * (len(sound) - len(word)))
                turns.append((other, at, 0.7 * word))
                spoken, both = spoken + len(word), both + len(word)
        end, last = max(end, start + len(sound)), who


def draw_places(count, dice):
    """Impulse responses of one room to several positions."""
    (size, absorption, microphone, rt60_s), places = draw_shoebox(count, dice)
    responses = []
    for place in places:
        distance = numpy.linalg.norm(place - microphone)
        # Without the propagation delay: references are where the voice arrives.
        response = numpy.roll(respond(size, absorption, microphone, place, rt60_s), -int(distance / SOUND_M_PER_S * RATE_HZ))
        responses.append(response / math.sqrt((response**2).sum()))
    return responses


def limit_to_telephone(sound):
    spectrum = numpy.fft.rfft(sound, next_fast(len(sound)))
    hz = numpy.linspace(0, RATE_HZ / 2, len(spectrum))
    limited = numpy.fft.irfft(spectrum * numpy.clip((hz - 200) / 120, 0, 1) * numpy.clip((3600 - hz) / 250, 0, 1))
    return limited[: len(sound)]


def draw_noise(noises, frames, dice):
    pieces, total = [], 0
    while total < frames:
        pieces.append(noises[dice.randint(len(noises))])
        total += len(pieces[-1])
    return numpy.concatenate(pieces)[:frames]


def make_conversation(speakers, noises, number, seed, is_long):
    """The voices [people, frames] in the room, the noise, and the active steps [people, steps]."""
    dice = numpy.random.RandomState(seed + number)
    people = 2 + number % 3 if is_long else 1 + number % 6
    names = {kind: [name for name, (its, _) in speakers.items() if its == kind] for kind in ("sentences", "words")}
    chosen = []
    while len(chosen) < people:
        pool = names["words" if names["words"] and dice.uniform() < WORDS_SHARE and not is_long else "sentences"]
        name = pool[dice.randint(len(pool))]
        if name not in chosen:
            chosen.append(name)
    budgets = [1.15 * LONG_S / people if is_long else dice.uniform(LEAST_SPEECH_S, MOST_SPEECH_S * min(1, 3 / people)) for _ in chosen]
    talkers = [Talker(*speakers[name], budget, dice) for name, budget in zip(chosen, budgets)]
    turns = draw_turns(talkers, 0.2, 3.2, dice) if is_long else draw_turns(talkers, dice.uniform(0.1, 0.2), 2.2, dice)
    frames = max(start + len(sound) for _, start, sound in turns) + RATE_HZ
    voices = numpy.zeros((people, frames), numpy.float32)
    for who, start, sound in turns:
        voices[who, start : start + len(sound)] += sound
    voices *= 10 ** (dice.uniform(-4, 4, (people, 1)) / 20)
    active = numpy.stack([active_steps(voice) for voice in voices])
    where = dice.choice(["dry", "room", "telephone"], p=[0.3, 0.5, 0.2])
    if where == "room":
        responses = draw_places(people, dice)
        longer = next_fast(frames + len(responses[0])) - len(responses[0])
        padded = numpy.pad(voices, ((0, 0), (0, longer - frames)))
        voices = numpy.stack([convolve(voice, response)[:frames] for voice, response in zip(padded, responses)])
    noise = draw_noise(noises, frames, dice)
    noise = noise * (10 ** (-dice.uniform(12, 35) / 20) * level(voices.sum(0)) / max(1e-6, math.sqrt((noise**2).mean())))
    if where == "telephone":
        voices, noise = numpy.stack([limit_to_telephone(voice) for voice in voices]), limit_to_telephone(noise)
    scale = 0.5 / numpy.abs(voices.sum(0) + noise).max()
    return voices * scale, noise * scale, active, chosen, where


def to_rttm(name, active, chosen):
    rows = [(start, f"SPEAKER {name} 1 {start / 50:.2f} {(end - start) / 50:.2f} <NA> <NA> {who} <NA> <NA>") for who, row in zip(chosen, active) for start, end in runs(row)]
    return "".join(f"{row}\n" for _, row in sorted(rows))


def main():
    # Not on the GPU machine, which makes conversations of reels that are decoded already (`held_out_detection`).
    import soundfile

    from training.prepare.pack import gather_groups
    from training.prepare.sources import decode_clip, load_data_list

    parser = argparse.ArgumentParser()
    parser.add_argument("--list", type=Path, default=Path("training/data/voices.json"))
    parser.add_argument("--roots", required=True)
    parser.add_argument("--split", choices=SEEDS, required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    sources = load_data_list(options.list)
    least_s, most_s = (LONG_S / 2, LONG_S) if options.long else (LEAST_SPEECH_S, MOST_DECODED_S)
    speakers = load_speakers(sources, options.roots, options.split, least_s, most_s)
    noise_source = next(source for source in sources if source["id"] == "voices-noises")
    noise_split = "held-out" if options.split == "test" else "train"
    groups = [clips for (split, _), clips in sorted(gather_groups(noise_source, options.roots).items()) if split == noise_split]
    noises = [to_rate(samples[:, 0], rate_hz) for samples, rate_hz in (decode_clip(clips[0], 1) for clips in groups[:20])]
    options.out.mkdir(parents=True, exist_ok=True)
    for number in range(options.first, options.first + options.count):
        voices, noise, active, chosen, where = make_conversation(speakers, noises, number, SEEDS[options.split], options.long)
        name = f"{options.split}-{number:03d}"
        soundfile.write(options.out / f"{name}.wav", voices.sum(0) + noise, RATE_HZ, "PCM_16")
        (options.out / f"{name}.rttm").write_text(to_rttm(name, active, chosen))
        if options.long:
            for person, voice in enumerate(voices):
                soundfile.write(options.out / f"{name}-s{person}.wav", voice, RATE_HZ, "PCM_16")
        talking = active.sum(0)
        row = {"name": name, "people": len(chosen), "where": where, "seconds": len(noise) / RATE_HZ, "overlap": float((talking > 1).sum() / max(1, (talking > 0).sum())), "speech_s": [int(one.sum() / 50) for one in active], "who": chosen}
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
