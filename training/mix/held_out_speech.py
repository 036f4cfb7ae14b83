"""The held-out recordings of speech: 60 with noise at 0 to 10 dB, 60 in rooms, 60 with both, 6 s each at 48 kHz, the same on every machine.

Speakers, noises and measured rooms are those the data list keeps out of training; the other half of the rooms is made by another program than training's.

    python3 -m training.mix.held_out_speech --packs FOLDER --save held-out.npz       float16 {noise, rooms, both} [count, 3, frames] (dry, room, noise)
    python3 -m training.mix.held_out_speech --from held-out.npz --out FOLDER         the same as WAV: FOLDER/noise-00/{dry,room,noise,mix}.wav …
"""

import argparse
import json
import multiprocessing
import os
from pathlib import Path

import numpy

from training.mix.held_out_voices import convolve, draw_room, load_speakers

RATE_HZ = 48000
HOP = 1024
FRAMES = 281 * HOP
STEMS = ("dry", "room", "noise")
COUNTS = {"noise": 60, "rooms": 60, "both": 60}
SEED = 20261118
SNR_DB = (0, 10)
EARLY, LATE = int(0.02 * RATE_HZ), int(0.04 * RATE_HZ)


def level(sound):
    block = RATE_HZ // 10
    power = (sound[: len(sound) // block * block].reshape(-1, block) ** 2).mean(1)
    return numpy.sqrt(power[power >= power.mean() / 30].mean() + 1e-12)


def draw_sound(makers, dice):
    """FRAMES of one speaker or noise at level 1, and its maker."""
    names = list(makers)
    name = names[dice.randint(len(names))]
    pieces, total = [], 0
    while total < FRAMES:
        reel = makers[name][dice.randint(len(makers[name]))] / 32768.0
        pieces.append(reel[dice.randint(max(1, len(reel) // 2)) :] if not pieces else reel)
        total += len(pieces[-1])
    sound = numpy.concatenate(pieces)[:FRAMES]
    return sound / level(sound), name


def split_response(response):
    """The early part, with energy 1, and the late part."""
    ramp = numpy.clip((LATE - (numpy.arange(len(response)) - numpy.abs(response).argmax())) / (LATE - EARLY), 0, 1)
    early = response * ramp
    return early / numpy.linalg.norm(early), (response - early) / numpy.linalg.norm(early)


def draw_response(measured, dice):
    """A response and its upper frequency; `measured` has [(response, top_hz), …]."""
    if measured and dice.uniform() < 0.5:
        response, top_hz = measured[dice.randint(len(measured))]
        return response.astype(float), top_hz
    return draw_room(dice, RATE_HZ)[0], RATE_HZ / 2


def low_pass(stems, top_hz):
    """Applies the lowest upper frequency to all stems."""
    if top_hz >= RATE_HZ / 2:
        return stems
    spectrum = numpy.fft.rfft(stems)
    frequency = numpy.linspace(0, RATE_HZ / 2, spectrum.shape[-1])
    return numpy.fft.irfft(spectrum * numpy.clip((top_hz - frequency) / (0.03 * top_hz), 0, 1), stems.shape[-1])


def make_recording(voices, noises, measured, tops, kind, dice):
    """float32 [3, FRAMES] (dry, room, noise)."""
    dry, speaker = draw_sound(voices, dice)
    room, noise = numpy.zeros(FRAMES), numpy.zeros(FRAMES)
    top_hz = tops.get(speaker[0], RATE_HZ / 2)
    if kind != "noise":
        response, room_top_hz = draw_response(measured, dice)
        dry, room = (convolve(dry, part) for part in split_response(response))
        top_hz = min(top_hz, room_top_hz)
    if kind != "rooms":
        noise, maker = draw_sound(noises, dice)
        noise *= level(dry + room) * 10 ** (-dice.uniform(*SNR_DB) / 20)
        top_hz = min(top_hz, tops.get(maker[0], RATE_HZ / 2))
    stems = low_pass(numpy.stack([dry, room, noise]), top_hz)
    return (stems * (0.3 / numpy.abs(stems.sum(0)).max())).astype(numpy.float32)


_reels = {}


def _make_numbered(task):
    kind, number = task
    return make_recording(*_reels["all"], kind, numpy.random.RandomState(SEED + number + 1000 * list(COUNTS).index(kind))).astype(numpy.float16)


def make_held_out(folder, sources, counts=COUNTS):
    """Forks processes: don't call it in one that uses the GPU."""
    families = {source["id"]: source.get("split_key", source["id"]) for source in sources}
    tops = {families[source["id"]]: source["top_hz"] for source in sources if "top_hz" in source}
    rooms = Path(folder) / "measured-rooms.npz"
    loaded = numpy.load(rooms) if rooms.exists() else {"held-out": (), "held-out-top-hz": ()}
    measured = list(zip(loaded["held-out"], loaded["held-out-top-hz"]))
    _reels["all"] = (load_speakers(folder, families), load_speakers(folder, families, "noise"), measured, tops)
    with multiprocessing.get_context("fork").Pool(min(16, os.cpu_count() or 1)) as pool:
        return {kind: numpy.stack(pool.map(_make_numbered, [(kind, number) for number in range(count)], chunksize=1)) for kind, count in counts.items()}


def write_files(arrays, folder):
    import soundfile

    for kind, recordings in arrays.items():
        for number, stems in enumerate(recordings.astype(numpy.float32)):
            (folder / f"{kind}-{number:02d}").mkdir(parents=True, exist_ok=True)
            for name, sound in zip((*STEMS, "mix"), (*stems, stems.sum(0))):
                soundfile.write(folder / f"{kind}-{number:02d}" / f"{name}.wav", sound, RATE_HZ, subtype="FLOAT")


def main():
    parser = argparse.ArgumentParser()
    given = parser.add_mutually_exclusive_group(required=True)
    given.add_argument("--packs")
    given.add_argument("--from", dest="saved", type=Path)
    parser.add_argument("--list", type=Path, default=Path("training/data/speech-denoise.json"))
    parser.add_argument("--save", type=Path)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    arrays = numpy.load(options.saved) if options.saved else make_held_out(options.packs, json.loads(options.list.read_text())["sources"])
    if options.save:
        part = options.save.with_suffix(".part.npz")
        numpy.savez(part, **arrays)
        part.rename(options.save)
    if options.out:
        write_files(arrays, options.out)


if __name__ == "__main__":
    main()
