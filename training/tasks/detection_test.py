import json
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

import numpy
import torch

from training import evaluate_detection
from training.checkpoint import make_network, save_weights
from training.evaluate_detection import load_talks, music_in_talks
from training.mix import held_out_detection
from training.mix.music_presence import SPAN, USES, MusicPresence, to_full_rate
from training.mix.voice_pool import VoicePools
from training.networks.stft import BINS
from training.tasks.detection import mask_ranges

RATE_HZ = 16000


class MaskRangesTest(unittest.TestCase):
    def test_it_takes_a_part_of_the_frequencies_away_and_leaves_the_rest(self):
        torch.manual_seed(1)
        masked = mask_ranges(torch.ones(50, 3, BINS))
        self.assertEqual(set(masked.unique().tolist()), {0.0, 1.0})
        self.assertTrue((masked == masked[:, :1]).all())
        self.assertLess(float((masked == 0).float().mean()), 0.2)


class SilentPool:
    def draw(self, count, frames, rates):
        return torch.zeros(count, 2, frames), torch.ones(count, dtype=torch.bool)


class SilentPools(dict):
    device = "cpu"


def write_speech(folder, seconds=16, speakers=6):
    """Noise that pauses, of as many people, and a noise."""
    dice = numpy.random.RandomState(0)
    (folder / "pack-0").mkdir(parents=True)
    reels = {}
    for key, source in (("voice.train", "iban"), ("voice.held-out", "iban"), ("effects.train", "voices-noises"), ("effects.held-out", "voices-noises")):
        is_loud = numpy.arange(seconds * RATE_HZ) % (2 * RATE_HZ) < 1.5 * RATE_HZ
        sounds = [(dice.randn(seconds * RATE_HZ) * 3000 * is_loud).astype(numpy.int16) for _ in range(speakers)]
        numpy.save(folder / "pack-0" / f"{key}.npy", numpy.concatenate(sounds))
        reels[key] = [{"source": source, "reel": f"{key[6:]}{at}-0000", "frames": len(sound)} for at, sound in enumerate(sounds)]
    (folder / "pack-0" / "reels.json").write_text(json.dumps(reels))
    (folder / "pack-0" / "ready").touch()


class Conversations(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.manual_seed(1)
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        write_speech(cls.folder / "voices")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_a_third_of_the_speech_is_conversation(self):
        """The other speech is silent here, so what is heard is conversation."""
        pools = SilentPools({f"{role}.train": SilentPool() for role in ("dialogue", "music", "singing", "effects", "ambience")})
        pools.folder = self.folder
        voices = VoicePools(self.folder / "voices", "cpu")
        list(voices.load_new())
        mixer = MusicPresence(pools, 60 * SPAN, voices=voices, conversations=1 / 3)
        sounds = mixer._sounds(9)
        self.assertEqual((sounds.square().mean(-1) > 1e-4).nonzero().tolist(), [[0, 1], [1, 1], [2, 1]])
        _, is_heard, _ = mixer.draw(9 * USES)
        self.assertEqual(float(is_heard[:, 0].max() + is_heard[:, 2].max()), 0)

    def test_a_tone_keeps_its_pitch_at_full_rate(self):
        tone = lambda rate_hz: torch.sin(2 * torch.pi * 1000 * torch.arange(rate_hz) / rate_hz)
        self.assertLess(float((to_full_rate(tone(RATE_HZ)[None]) - tone(44100)).abs().max()), 1e-2)

    def test_the_held_out_conversations_are_of_held_out_people_and_the_same_every_time(self):
        held_out_detection._talkers[:] = held_out_detection.load_talkers(self.folder / "voices")
        (first, where, half), *_ = held_out_detection._cut_conversation(2)
        self.assertEqual((len(first), half), (held_out_detection.FRAMES, 0))
        again, *place = held_out_detection._cut_conversation(2)[0]
        self.assertEqual(place, [where, half])
        self.assertTrue(numpy.array_equal(first, again))
        self.assertEqual(held_out_detection.load_talkers(self.folder / "none"), [])

    def test_the_halves_of_the_conversations_share_neither_people_nor_noises(self):
        (people, noises), (others, other_noises) = held_out_detection.load_talkers(self.folder / "voices")
        self.assertEqual(sorted([*people, *others]), [f"iban-held-out{at}" for at in range(6)])
        self.assertEqual((len(people), len(noises), len(other_noises)), (3, 3, 3))
        self.assertFalse(any(numpy.array_equal(noise, other) for noise in noises for other in other_noises))
        held_out_detection._talkers[:] = (people, noises), (others, other_noises)
        halves = [held_out_detection._cut_conversation(number)[0][2] for number in (2, held_out_detection.CONVERSATIONS - 4)]
        self.assertEqual(halves, [0, 1])

    def test_music_called_in_conversations_is_reported_by_place(self):
        is_music = torch.tensor([[True, False], [False, False], [True, True], [True, True]])
        told = music_in_talks(is_music, ["room", "room", "dry", "telephone"])
        self.assertEqual(told, {"seconds": 120, "music": 0.625, "dry": 1.0, "room": 0.25, "telephone": 1.0})

    def test_the_confidence_is_fitted_on_conversations_too(self):
        """The network hears music alike in music and in conversations, so it must become less certain of it."""
        torch.manual_seed(0)
        small = {"kind": "music-detector", "mels": 16, "channels": [2, 2, 2], "width": 8, "hidden": 8, "kernel": 3, "dilations": [1]}
        network = make_network(small)
        save_weights(self.folder / "small.pt", network.config, network.state_dict())
        clips = (3000 * numpy.random.RandomState(0).randn(8, 88200)).astype(numpy.int16)
        told = []
        for talks in ({}, {"talks": clips, "places": ["room"] * 8, "halves": [0, 1] * 4}):
            numpy.savez(self.folder / "set.npz", clips=clips, truths=numpy.ones((8, 20), numpy.int8), **talks)
            with patch("sys.argv", ["", "--held-out", str(self.folder / "set.npz"), "--weights", str(self.folder / "small.pt"), "--out", str(self.folder / "scores.json")]), patch("builtins.print"):
                evaluate_detection.main()
            told.append(json.loads((self.folder / "scores.json").read_text()))
        self.assertNotIn("conversations", told[0])
        self.assertGreater(told[0]["reliability"][-1][0], 0.9)
        self.assertLess(told[1]["reliability"][-1][0], 0.7)

    def test_a_set_without_speech_has_no_conversations(self):
        numpy.savez(self.folder / "set.npz", clips=numpy.zeros((2, 4)))
        self.assertIsNone(load_talks(self.folder / "set.npz"))


if __name__ == "__main__":
    unittest.main()
