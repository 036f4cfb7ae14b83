import json
import tempfile
import unittest
from pathlib import Path

import numpy
import torch

from training.mix.arrange import RATE_HZ, STEMS
from training.mix.separated import split_separated
from training.mix.other_splitter import OtherSplitter, Songs
from training.mix.pool import Pools
from training.prepare.scores import EVENT

FRAMES = RATE_HZ
PITCHES = (48, 60, 72)


def write_notes(folder):
    """One instrument per stem, three tones each, and a song of two parts."""
    pack = Path(folder) / "notes-0"
    pack.mkdir()
    tones = [numpy.sin(2 * numpy.pi * 440 * 2 ** ((pitch - 69) / 12) * numpy.arange(RATE_HZ) / RATE_HZ) for pitch in PITCHES]
    strip = numpy.repeat((8000 * numpy.concatenate(tones)).astype(numpy.int16)[:, None], 2, axis=1)
    table = [{"pitch": pitch, "loudness": 0.6, "start": at * RATE_HZ, "frames": RATE_HZ} for at, pitch in enumerate(PITCHES)]
    entries = [
        {"instrument": f"a {stem}", "stem": stem, "articulation": "pluck", "drive": "any" if stem == "guitar_electric" else "none", "notes": table, "offset": at * len(strip)}
        for at, stem in enumerate(STEMS)
    ]
    numpy.save(pack / "train.npy", numpy.concatenate([strip] * len(STEMS)))
    (pack / "train.json").write_text(json.dumps(entries))
    events = numpy.array([(0.5 * beat, 0.4, 60 + beat % 5, 90) for beat in range(40)], EVENT)
    numpy.savez(pack / "scores.train.npz", events=numpy.concatenate([events, events]), parts=numpy.array([(0, 0, 0, 40), (0, 73, 40, 80)]), names=numpy.array(["a song"]))
    (pack / "notes-ready").touch()


class OtherSplitterTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        write_notes(self.folder.name)
        torch.manual_seed(3)

    def test_the_same_seed_gives_the_same_song(self):
        songs = Songs(self.folder.name, "cpu", "train", FRAMES)
        songs.bank.load_new()
        rooms = torch.zeros(1, 2, RATE_HZ)
        rooms[..., 0] = 1
        made = []
        for _ in range(2):
            torch.manual_seed(1)
            made.append(songs.render(2, rooms, numpy.random.RandomState(5)))
        self.assertEqual(made[0].shape, (2, len(STEMS), 2, FRAMES))
        self.assertGreater(float(made[0].abs().max()), 0.01)
        self.assertTrue(torch.equal(*made))

    def test_mixtures_have_a_stem_each_and_often_silent_ones(self):
        mixer = OtherSplitter(Pools(self.folder.name, "cpu"), FRAMES, rooms=4, slots=12, first_slots=8)
        sounds = mixer.draw(16)
        self.assertEqual(sounds.shape, (16, 2 * len(STEMS), 2, FRAMES))
        stems, played = split_separated(sounds)
        self.assertTrue(torch.equal(stems, played))
        self.assertTrue(bool(torch.isfinite(stems).all()))
        is_silent = stems.abs().amax((2, 3)) == 0
        self.assertGreater(float(is_silent.float().mean()), 0.3)
        self.assertTrue(bool((~is_silent).any(1).all()))

    def test_new_songs_replace_the_oldest(self):
        mixer = OtherSplitter(Pools(self.folder.name, "cpu"), FRAMES, rooms=4, slots=3, first_slots=3)
        mixer.draw(4)
        first = mixer.slots.clone()
        mixer.draw(4)
        changed = (mixer.slots != first).flatten(1).any(1)
        self.assertEqual(int(changed.sum()), 1)


if __name__ == "__main__":
    unittest.main()
