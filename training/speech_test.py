"""The speech cleaner on synthetic signals: properties that hold whatever it has learnt."""

import json
import tempfile
import unittest
from pathlib import Path

import numpy
import soundfile
import torch

from training.checkpoint import make_network
from training.losses.cleaning import cleaning_loss, speech_of
from training.losses.intelligibility import log_spectral_distance, stoi
from training.mix import held_out_speech
from training.mix.noisy_speech import NoisySpeech, clip, low_pass, split_responses
from training.mix.shoebox import make_rooms
from training.mix.speech_pool import RATE_HZ, SpeechPools
from training.networks.voice_stft import FULL_BAND, istft, stft
from training.prepare.unpack_voices import resample
from training.prepare.measured_rooms import LEAD, TAPS, measured_rooms
from training.tasks.cleaning import Cleaning

RECIPE = json.loads((Path(__file__).parent / "recipes" / "speech-denoise.json").read_text())
SMALL = {**RECIPE["network"], "width": 16, "depth": 1, "heads": 2, "feed_forward": 16, "mask_hidden": 8}
SOURCES = [{"id": "corpus"}, {"id": "telephone", "top_hz": 4000}]


def write_pool(folder, seconds=2):
    """Noise with a varying level for speech, steady noise for noise; the second source ends at 4 kHz only according to the list."""
    dice = numpy.random.RandomState(0)
    (folder / "pack-0").mkdir()
    reels = {}
    for key in ("voice.train", "voice.held-out", "noise.train", "noise.held-out"):
        swing = numpy.sin(numpy.arange(seconds * RATE_HZ) / 4000) ** 2 if key.startswith("voice") else 1
        sounds = [(dice.randn(seconds * RATE_HZ) * 3000 * swing).astype(numpy.int16) for _ in range(4)]
        numpy.save(folder / "pack-0" / f"{key}.npy", numpy.concatenate(sounds))
        reels[key] = [{"source": SOURCES[at // 2]["id"], "reel": f"maker{at}-0000", "frames": len(sound)} for at, sound in enumerate(sounds)]
    (folder / "pack-0" / "reels.json").write_text(json.dumps(reels))
    (folder / "pack-0" / "ready").touch()


class Network(unittest.TestCase):
    def test_the_transform_comes_back(self):
        sound = torch.randn(2, 20 * FULL_BAND[1])
        self.assertLess(float((istft(stft(sound, *FULL_BAND), sound.shape[-1], *FULL_BAND) - sound).abs().max()), 1e-4)

    def test_outputs_sum_to_the_input_at_any_level(self):
        spectrum = stft(torch.randn(1, 10 * FULL_BAND[1]), *FULL_BAND)
        network = make_network(SMALL)
        with torch.no_grad():
            outputs, quiet = network(spectrum), network(spectrum * 0.01)
        self.assertEqual(tuple(outputs.shape), (1, 3, 2, 11, 1025))
        self.assertLess(float((outputs.sum(1) - spectrum).abs().max()), 1e-3)
        self.assertLess(float((quiet * 100 - outputs).abs().max()), 2e-2)

    def test_every_bin_has_a_band_and_the_network_is_compact(self):
        network = make_network(RECIPE["network"])
        self.assertGreaterEqual(network.config.padded_bins, network.config.bins)
        self.assertLess(sum(p.numel() for p in network.parameters()), 4e6)


class Losses(unittest.TestCase):
    def test_the_truth_is_best_and_noise_in_speech_costs_more_than_in_noise(self):
        stems = torch.randn(2, 3, 20 * FULL_BAND[1])
        parts = stft(stems, *FULL_BAND)
        loss = lambda estimate: float(cleaning_loss(estimate, stft(estimate, *FULL_BAND), stems, parts, RECIPE["losses"]))
        leak = stems.clone()
        leak[:, 0] += 0.5 * stems[:, 2]
        self.assertLess(loss(stems) + 0.5, loss(leak))
        swapped = stems.clone()
        swapped[:, 0] += 0.5 * stems[:, 1]
        swapped[:, 1] -= 0.5 * stems[:, 1]
        self.assertTrue(loss(stems) < loss(swapped) < loss(leak))

    def test_speech_in_its_room_is_dry_speech_and_room(self):
        stems = torch.randn(2, 3, 8)
        self.assertTrue(torch.equal(speech_of(stems)[:, 1], stems[:, :2].sum(1)))

    def test_intelligibility_falls_with_noise_and_ignores_level(self):
        dice = numpy.random.RandomState(1)
        swing = numpy.repeat(dice.uniform(0.05, 1, 60), RATE_HZ // 20)
        speech, noise = dice.randn(len(swing)) * swing, dice.randn(len(swing))
        self.assertAlmostEqual(stoi(0.1 * speech, speech, RATE_HZ), 1.0, places=6)
        some, much = (stoi(speech + gain * noise, speech, RATE_HZ) for gain in (0.2, 1.5))
        self.assertTrue(1 > some > much > 0)

    def test_a_level_ten_times_higher_is_twenty_decibels_away(self):
        sound = numpy.random.RandomState(0).randn(8192)
        self.assertEqual(log_spectral_distance(sound, sound), 0.0)
        self.assertAlmostEqual(log_spectral_distance(10 * sound, sound), 20.0, places=1)


class Mixtures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.manual_seed(1)
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        write_pool(cls.folder)
        cls.pools = SpeechPools(cls.folder, "cpu", SOURCES)
        list(cls.pools.load_new())

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_pools_know_their_rate_and_where_a_source_ends(self):
        self.assertEqual(self.pools.describe()["voice"], {"minutes": 0.1, "speakers": 4})
        _, top_hz = self.pools.draw("voice", 50, 100, torch.ones(50))
        self.assertEqual(set(top_hz.tolist()), {4000.0, 24000.0})

    def test_what_one_part_lacks_the_mixture_lacks(self):
        stems = low_pass(torch.randn(2, 3, RATE_HZ), torch.tensor([4000.0, 24000.0]))
        power = torch.fft.rfft(stems).abs().square()
        self.assertLess(float(power[0, :, 4100:].sum() / power[0].sum()), 1e-3)
        self.assertGreater(float(power[1, :, 20000:].sum() / power[1].sum()), 0.1)

    def test_a_response_falls_apart_into_early_and_late(self):
        response = torch.zeros(1, 9600)
        response[0, [100, 100 + int(0.01 * RATE_HZ), 100 + int(0.06 * RATE_HZ)]] = torch.tensor([1.0, 0.5, 0.25])
        early, late = split_responses(response)
        self.assertEqual(early.nonzero()[:, 1].tolist(), [100, 580])
        self.assertEqual(late.nonzero()[:, 1].tolist(), [2980])
        self.assertAlmostEqual(float(early.square().sum()), 1.0, places=5)

    def test_mixtures_have_rooms_once_there_are_some_and_are_finite(self):
        mixer = NoisySpeech(self.pools, 24 * FULL_BAND[1], room=1.0)
        self.assertEqual(float(mixer.draw(4)[:, 1].abs().max()), 0.0)
        numpy.save(self.folder / "rooms.npy", make_rooms(2, 1, "cpu", RATE_HZ).half().numpy())
        stems = NoisySpeech(self.pools, 24 * FULL_BAND[1], room=1.0, measured=0.0).draw(12)
        self.assertEqual(tuple(stems.shape), (12, 3, 24 * FULL_BAND[1]))
        self.assertTrue(bool(torch.isfinite(stems).all()))
        self.assertGreater(float((stems[:, 1].abs().amax(-1) > 0).float().mean()), 0.7)

    def test_clipping_is_noise_and_leaves_speech_alone(self):
        sound = torch.randn(3, 1000)
        self.assertTrue(bool((clip(sound).abs().amax(-1) < sound.abs().amax(-1)).all()))
        stems = torch.randn(64, 3, 8192)
        changed = NoisySpeech(self.pools, 8192).distort(stems)
        self.assertTrue(torch.equal(changed[:, :2], stems[:, :2]))
        touched = (changed[:, 2] - stems[:, 2]).abs().amax(-1) > 1e-3
        self.assertTrue(0 < int(touched.sum()) < 40)

    def test_twenty_steps_lower_the_loss(self):
        task = Cleaning({**RECIPE, "segment_hops": 24, "mixer_options": {"room": 0.0}}, self.pools)
        network = make_network(SMALL)
        optimizer = torch.optim.AdamW(network.parameters(), 3e-3)
        mixture, truth = task.draw(4)
        losses = []
        for _ in range(20):
            loss = task.loss(network(mixture), truth)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            losses.append(float(loss.detach()))
        self.assertLess(losses[-1], losses[0] - 0.1)

    def test_the_held_out_set_is_the_same_every_time_and_ends_where_its_sources_end(self):
        loaded = [held_out_speech.load_speakers(self.folder, {"corpus": "corpus"}, role) for role in ("voice", "noise")]
        make = lambda kind, seed: held_out_speech.make_recording(*loaded, [], {"telephone": 4000, "corpus": 4000}, kind, numpy.random.RandomState(seed))
        self.assertTrue(numpy.array_equal(make("noise", 3), make("noise", 3)))
        power = numpy.abs(numpy.fft.rfft(make("noise", 3))) ** 2
        self.assertLess(power[:, power.shape[1] // 4 :].sum() / power.sum(), 1e-3)
        self.assertEqual(float(numpy.abs(make("rooms", 1)[2]).max()), 0.0)


class Reels(unittest.TestCase):
    def test_a_tone_keeps_its_pitch_and_level_from_16_to_48_khz(self):
        tone = lambda rate_hz: numpy.sin(2 * numpy.pi * 1000 * numpy.arange(rate_hz) / rate_hz) * 10000
        self.assertLess(float(numpy.abs(resample(tone(16000).astype(numpy.int16), 2, 6) - tone(48000)).max()), 20)


class MeasuredRooms(unittest.TestCase):
    def test_a_response_comes_back_from_a_pair_of_recordings(self):
        dice = numpy.random.RandomState(0)
        dry = dice.randn(24000)
        response = numpy.zeros(4800)
        response[[0, 1000, 3000]] = [1.0, 0.5, -0.3]
        with tempfile.TemporaryDirectory() as folder:
            for name, sound in (("dry", dry), ("wet", numpy.convolve(dry, response)[:24000])):
                (Path(folder) / "pairs" / name).mkdir(parents=True)
                soundfile.write(Path(folder) / "pairs" / name / "a.wav", sound / 10, 24000, subtype="FLOAT")
            source = {"id": "pairs", "folder": "pairs", "pairs": {"reverberant": "wet", "dry": "dry"}, "held_out_fraction": 0.0, "top_hz": 12000}
            rooms = measured_rooms([source], folder)
        self.assertEqual((rooms["train"].shape, rooms["train-top-hz"].tolist()), ((1, TAPS), [12000.0]))
        found = rooms["train"][0].astype(float)
        self.assertEqual(int(numpy.abs(found).argmax()), LEAD)
        self.assertAlmostEqual(found[LEAD + 2000] / found[LEAD], 0.5, delta=0.05)
        self.assertAlmostEqual(found[LEAD + 6000] / found[LEAD], -0.3, delta=0.05)


if __name__ == "__main__":
    unittest.main()
