"""The held-out mixtures of two voices: 200 dry, 200 in rooms, 40 of one voice alone, 8 s each at 16 kHz, the same on every machine.

Speakers are those the data list keeps out of training. The rooms are made here, by another program than training's: one band, walls alike in pairs, other sizes, an exact lattice.

    python3 -m training.mix.held_out_voices --packs FOLDER --save held-out.npz       float32 {dry, rooms, alone} [count, 2, frames]
    python3 -m training.mix.held_out_voices --packs FOLDER --out FOLDER --first 100  dry/000/s0.wav …, alone/000.wav …: the first of each, for `npm run bench voices`
"""

import argparse
import json
import math
import multiprocessing
import os
from pathlib import Path

import numpy

RATE_HZ = 16000
FRAMES = 8 * RATE_HZ
COUNTS = {"dry": 200, "rooms": 200, "alone": 40}
SEED = 20261117
SOUND_M_PER_S = 343.0
FINE = 8


def load_speakers(folder, families, role="voice"):
    """{speaker: [int16 reel, …]} of the held-out split of a role, sorted by name: the set is the same however they were packed."""
    found = {}
    for ready in sorted(Path(folder).glob("*/ready")):
        reels = json.loads((ready.parent / "reels.json").read_text()).get(f"{role}.held-out", [])
        if not reels:
            continue
        ends = numpy.cumsum([reel["frames"] for reel in reels])
        for reel, samples in zip(reels, numpy.split(numpy.load(ready.parent / f"{role}.held-out.npy"), ends[:-1])):
            speaker = (families.get(reel["source"], reel["source"]), reel["reel"].rsplit("-", 1)[0])
            found.setdefault(speaker, {})[reel["source"], reel["reel"]] = samples
    return {speaker: [reels[name] for name in sorted(reels)] for speaker, reels in sorted(found.items())}


def level(sound):
    power = (sound[: len(sound) // 1600 * 1600].reshape(-1, 1600) ** 2).mean(1)
    return math.sqrt(power[power >= power.mean() / 30].mean() + 1e-12)


def draw_speech(reels, frames, dice):
    """Speech of one speaker from consecutively drawn reels."""
    pieces, total = [], 0
    while total < frames:
        reel = reels[dice.randint(len(reels))] / 32768.0
        start = dice.randint(max(1, len(reel) - RATE_HZ)) if not pieces else 0
        pieces.append(reel[start:])
        total += len(pieces[-1])
    sound = numpy.concatenate(pieces)[:frames]
    return sound / level(sound)


def respond(size, absorption, microphone, speaker, seconds, rate_hz=RATE_HZ):
    """A room's response by the image method on a grid eight times finer, decimated to the rate."""
    reach = SOUND_M_PER_S * seconds
    response = numpy.zeros(int(seconds * rate_hz * FINE) + FINE)
    reflect = numpy.sqrt(1 - absorption)
    counts = [int(reach / (2 * side)) + 1 for side in size]
    grids = []
    for axis in range(3):
        m = numpy.arange(-counts[axis], counts[axis] + 1)
        m, p = (values.ravel() for values in numpy.meshgrid(m, [0, 1], indexing="ij"))
        grids.append(((1 - 2 * p) * speaker[axis] + 2 * m * size[axis] - microphone[axis], reflect[axis] ** (numpy.abs(m - p) + numpy.abs(m))))
    (x, gx), (y, gy), (z, gz) = grids
    plane, plane_gain = (x[:, None] ** 2 + y[None] ** 2).ravel(), (gx[:, None] * gy[None]).ravel()
    near = plane < reach**2
    plane, plane_gain = plane[near], plane_gain[near]
    for height, gain in zip(z, gz):
        distance = numpy.sqrt(plane + height**2)
        inside = distance < reach
        at = (distance[inside] / SOUND_M_PER_S * rate_hz * FINE + 0.5).astype(int)
        response += numpy.bincount(at, plane_gain[inside] * gain / numpy.maximum(distance[inside], 0.1), len(response))[: len(response)]
    spectrum = numpy.fft.rfft(response)
    taps = len(response) // FINE
    frequency = numpy.linspace(0, rate_hz / 2, taps // 2 + 1)
    low = spectrum[: taps // 2 + 1] * (frequency > 50) * numpy.clip((rate_hz / 2 - 200 - frequency) / 400, 0, 1)
    return numpy.fft.irfft(low, taps)


def draw_shoebox(count, dice):
    """A room's size, absorption, microphone and RT60, and positions of speakers, 0.5 to 3 m from the microphone."""
    size = dice.uniform([3.0, 3.0, 2.4], [8.0, 6.0, 3.2])
    surface = 2 * (size[0] * size[1] + size[0] * size[2] + size[1] * size[2])
    rt60_s = dice.uniform(0.2, 0.6)
    mean = min(0.9, 0.161 * size.prod() / (surface * rt60_s))
    absorption = numpy.clip(mean * dice.uniform(0.7, 1.3, 3), 0.03, 0.95)
    microphone = size * dice.uniform(0.3, 0.7, 3)
    places = []
    while len(places) < count:
        place = dice.uniform([0.5, 0.5, 1.0], size - [0.5, 0.5, 0.6])
        if 0.5 < numpy.linalg.norm(place - microphone) < 3.0:
            places.append(place)
    return (size, absorption, microphone, rt60_s), places


def draw_room(dice, rate_hz=RATE_HZ):
    """Responses of one room to two positions."""
    (size, absorption, microphone, rt60_s), places = draw_shoebox(2, dice)
    return [respond(size, absorption, microphone, place, rt60_s, rate_hz) for place in places]


def convolve(sound, response):
    length = len(sound) + len(response)
    return numpy.fft.irfft(numpy.fft.rfft(sound, length) * numpy.fft.rfft(response, length), length)[: len(sound)]


def make_mixture(speakers, kind, dice):
    names = list(speakers)
    first, second = dice.choice(len(names), 2, replace=False)
    voices = numpy.stack([draw_speech(speakers[names[one]], FRAMES, dice) for one in (first, second)])
    level_db = dice.uniform(-5, 5)
    voices[0] *= 10 ** (level_db / 40)
    voices[1] *= 10 ** (-level_db / 40)
    if dice.uniform() < 1 / 3:
        voices[1, : int(dice.uniform(0.1, 0.5) * FRAMES)] = 0
    if kind == "alone":
        voices[1] = 0
    if kind == "rooms" or (kind == "alone" and dice.uniform() < 0.5):
        voices = numpy.stack([convolve(voice, response) for voice, response in zip(voices, draw_room(dice))])
    return (voices * (0.3 / numpy.abs(voices.sum(0)).max())).astype(numpy.float32), [names[first], names[second]]


_speakers = {}


def _make_numbered(task):
    kind, number = task
    return make_mixture(_speakers, kind, numpy.random.RandomState(SEED + number + 1000 * list(COUNTS).index(kind)))


def make_held_out(folder, families, counts=COUNTS):
    """Forks processes: don't call it in one that uses the GPU. Returns the arrays and their speakers."""
    _speakers.update(load_speakers(folder, families))
    with multiprocessing.get_context("fork").Pool(min(16, os.cpu_count() or 1)) as pool:
        made = {kind: pool.map(_make_numbered, [(kind, number) for number in range(count)], chunksize=1) for kind, count in counts.items()}
    arrays = {kind: numpy.stack([voices for voices, _ in mixtures]) for kind, mixtures in made.items()}
    return arrays, {kind: [names for _, names in mixtures] for kind, mixtures in made.items()}


def write_sounds(arrays, folder):
    """Writes float WAV; a single voice is one file."""
    import soundfile

    for kind, mixtures in arrays.items():
        for number, voices in enumerate(mixtures):
            place = folder / kind / f"{number:03d}"
            (place.parent if kind == "alone" else place).mkdir(parents=True, exist_ok=True)
            if kind == "alone":
                soundfile.write(place.with_suffix(".wav"), voices[0], RATE_HZ, "FLOAT")
                continue
            for person, voice in enumerate(voices):
                soundfile.write(place / f"s{person}.wav", voice, RATE_HZ, "FLOAT")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--packs", required=True)
    parser.add_argument("--list", type=Path, default=Path("training/data/voices.json"))
    parser.add_argument("--save", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--first", type=int, default=max(COUNTS.values()), help="how many of each kind, at most")
    options = parser.parse_args()
    sources = json.loads(options.list.read_text())["sources"]
    arrays, names = make_held_out(options.packs, {source["id"]: source.get("split_key", source["id"]) for source in sources}, {kind: min(count, options.first) for kind, count in COUNTS.items()})
    if options.out:
        write_sounds(arrays, options.out)
    if not options.save:
        return
    part = options.save.with_suffix(".part.npz")
    numpy.savez(part, **arrays)
    options.save.with_suffix(".speakers.json").write_text(json.dumps(names))
    part.rename(options.save)


if __name__ == "__main__":
    main()
