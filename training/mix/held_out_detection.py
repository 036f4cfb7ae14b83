"""The held-out set for music detection: 320 mono clips of 30 s, the same on every machine.

Half are *clear*: spans of 3 to 8 s of music, speech or effects, one at a time, some with nothing between them. Half have speech all through, with
music under it at −15 to +5 dB (loudness against loudness) in one or two spans, in every third one effects too. Sound that training never meets;
made with NumPy from one seed.

If the packs of speech are there (FOLDER/voices), conversations of people held out follow: every 30 s of 36 of them, in which nothing is music. Half of
the people, and of the noises, are in the first half of them only, so that what is fitted on one can be scored on the other.

    python3 -m training.mix.held_out_detection --packs FOLDER --save held-out-detection.npz [--out FOLDER]
"""

import argparse
import json
import multiprocessing
import os
from pathlib import Path

import numpy

from training.mix.conversations import LEAST_SPEECH_S, SEEDS, make_conversation
from training.mix.conversations import RATE_HZ as VOICE_RATE_HZ
from training.mix.held_out import RATE_HZ, at_loudness, draw_window, load_reels, loudness, place
from training.mix.held_out_voices import level, load_speakers
from training.prepare.unpack_voices import resample

SECONDS = 30
FRAMES = SECONDS * RATE_HZ
COUNT = 320
SEED = 20261116
STEP_S = 0.1
"""Resolution of truth and scores."""
QUIET_DB = -30.0
"""Steps in which the music is this far below its own loudness (rests, fades) are not scored."""
KINDS = ("clear", "under speech")
CONVERSATIONS = 36
HALVES = 2
SENTENCES = ("cisco", "iban")
"""Speakers of these are held out by both data lists, or in one alone; the others are divided differently by each."""
VOICES_LIST = Path(__file__).parent.parent / "data" / "voices.json"


def draw_music(reels, frames, dice):
    role = "singing" if dice.uniform() < 0.12 else "music"
    return draw_window(reels[role], frames, dice)


def make_clear(reels, dice):
    music, rest, at = numpy.zeros((2, FRAMES)), numpy.zeros((2, FRAMES)), 0
    last = ""
    while at < FRAMES - RATE_HZ:
        frames = min(int(dice.uniform(3, 8) * RATE_HZ), FRAMES - at)
        kind = ["music", "dialogue", "effects", "ambience"][dice.choice(4, p=[0.4, 0.3, 0.2, 0.1])]
        if kind != last or kind != "music":
            target = music if kind == "music" else rest
            draw = draw_music if kind == "music" else lambda all_reels, length, its_dice: draw_window(all_reels[kind], length, its_dice)
            target += place(at_loudness(draw(reels, frames, dice), -23, dice), at, FRAMES)
            last = kind
            at += frames
        at += int(dice.uniform(0.3, 1.5) * RATE_HZ) if dice.uniform() < 0.5 else 0
    return music, rest


def make_under_speech(reels, dice):
    music, rest = numpy.zeros((2, FRAMES)), numpy.zeros((2, FRAMES))
    for at in range(0, FRAMES, FRAMES // 3):
        rest += place(at_loudness(draw_window(reels["dialogue"], FRAMES // 3, dice), -20, dice), at, FRAMES)
    if dice.uniform() < 0.33:
        for _ in range(3):
            frames = int(dice.uniform(2, 6) * RATE_HZ)
            rest += place(at_loudness(draw_window(reels["effects"], frames, dice), -27, dice), dice.randint(FRAMES - frames), FRAMES)
    speech = loudness(rest)
    level_db = dice.uniform(-15, 5)
    starts = [dice.uniform(0, 18)] if dice.uniform() < 0.5 else [dice.uniform(0, 6), dice.uniform(16, 22)]
    for start_s in starts:
        frames = int(dice.uniform(5, 9) * RATE_HZ)
        piece = draw_music(reels, frames, dice)
        piece *= 10 ** ((speech + level_db - loudness(piece)) / 20)
        music += place(piece, int(start_s * RATE_HZ), FRAMES)
    return music, rest


def describe(music):
    """For every step: 1 music, 0 none, −1 not scored."""
    step = int(STEP_S * RATE_HZ)
    power = (music.mean(0)[: FRAMES // step * step].reshape(-1, step) ** 2).mean(1)
    is_there = power > 0
    smooth = numpy.convolve(power, numpy.ones(5) / 5, "same")
    is_quiet = smooth < power[is_there].mean() * 10 ** (QUIET_DB / 10) if is_there.any() else is_there
    return numpy.where(is_there, numpy.where(is_quiet, -1, 1), 0).astype(numpy.int8)


def load_talkers(folder):
    """Speakers as `make_conversation` takes them, and noises, of the held-out split, for each half; none if no speech was unpacked."""
    families = {source["id"]: source.get("split_key", source["id"]) for source in json.loads(VOICES_LIST.read_text())["sources"]}
    speakers = {}
    for (family, name), reels in load_speakers(folder, families).items():
        if family in SENTENCES and sum(map(len, reels)) >= LEAST_SPEECH_S * VOICE_RATE_HZ:
            sounds = [reel / numpy.float32(32768) for reel in reels]
            speakers[f"{family}-{name}"] = ("sentences", [sound / level(sound) for sound in sounds])
    noises = list(load_speakers(folder, families, "effects").values())
    share = lambda half: (dict(list(speakers.items())[half::HALVES]), [reel / 32768 for reels in noises[half::HALVES] for reel in reels])
    return [share(half) for half in range(HALVES)] if speakers else []


def _cut_conversation(number):
    """A conversation in clips of 30 s, where it is, and which half talks; the rest at its end is dropped."""
    half = number * HALVES // CONVERSATIONS
    voices, noise, _, _, where = make_conversation(*_talkers[half], number, SEEDS["test"], False)
    sound = resample((32767 * (voices.sum(0) + noise)).astype(numpy.int16), VOICE_RATE_HZ // 100, RATE_HZ // 100)
    return [(sound[at : at + FRAMES], str(where), half) for at in range(0, len(sound) - FRAMES + 1, FRAMES)]


_reels = {}
_talkers = []


def _make_numbered(number):
    dice = numpy.random.RandomState(SEED + number)
    music, rest = (make_clear, make_under_speech)[number % 2](_reels, dice)
    mixture = (music + rest).mean(0)
    mixture *= min(1.0, 0.95 / numpy.abs(mixture).max())
    return (mixture * 32767).astype(numpy.int16), describe(music)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--packs", required=True)
    parser.add_argument("--save", type=Path)
    parser.add_argument("--out", type=Path, help="writes the clips as WAV, with their truth as JSON")
    parser.add_argument("--count", type=int, default=COUNT)
    options = parser.parse_args()
    _reels.update(load_reels(options.packs))
    _talkers[:] = load_talkers(Path(options.packs) / "voices")
    with multiprocessing.get_context("fork").Pool(min(16, os.cpu_count() or 1)) as pool:
        clips, truths = zip(*pool.map(_make_numbered, range(options.count), chunksize=1))
        talks = [talk for cut in pool.map(_cut_conversation, range(CONVERSATIONS if _talkers else 0), chunksize=1) for talk in cut]
    if options.save:
        part = options.save.with_suffix(".part.npz")
        saved = {"clips": numpy.stack(clips), "truths": numpy.stack(truths)}
        if talks:
            sounds, places, halves = zip(*talks)
            saved.update(talks=numpy.stack(sounds), places=places, halves=halves)
        numpy.savez(part, **saved)
        part.rename(options.save)
    if options.out:
        import soundfile

        options.out.mkdir(parents=True, exist_ok=True)
        rows = [(clip, KINDS[number % 2], truth.tolist()) for number, (clip, truth) in enumerate(zip(clips, truths))]
        rows += [(sound, "conversations", [0] * int(SECONDS / STEP_S)) for sound, *_ in talks]
        for number, (clip, kind, truth) in enumerate(rows):
            soundfile.write(options.out / f"{number:03d}.wav", clip, RATE_HZ, subtype="PCM_16")
            (options.out / f"{number:03d}.json").write_text(json.dumps({"kind": kind, "stepSeconds": STEP_S, "truth": truth}))


if __name__ == "__main__":
    main()
