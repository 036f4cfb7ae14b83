import unittest

import torch

from training.mix.augment import RATE_HZ, active_level, bass_curves, colour, compress, mastering_curves, set_loudness, tube_curves


class CompressTest(unittest.TestCase):
    def test_it_brings_a_quiet_half_nearer_to_a_loud_one(self):
        sound = torch.randn(1, 2, 2 * RATE_HZ)
        sound[..., RATE_HZ:] *= 0.1
        out = compress(sound, torch.tensor([0.5]))
        ratio_db = 20 * torch.log10(out[..., : RATE_HZ - 2048].std() / out[..., RATE_HZ + 2048 :].std())
        self.assertAlmostEqual(float(ratio_db), 10, delta=0.5)

    def test_silence_stays_silence(self):
        self.assertEqual(float(compress(torch.zeros(1, 2, 8192), torch.tensor([0.6])).abs().max()), 0)


class LoudnessTest(unittest.TestCase):
    def test_deep_bass_gets_more_energy_than_a_voice_at_one_loudness(self):
        time_s = torch.arange(2 * RATE_HZ) / RATE_HZ
        tones = torch.sin(2 * torch.pi * torch.tensor([[800.0], [38.0]]) * time_s)[:, None].expand(-1, 2, -1)
        level_db = 20 * torch.log10(active_level(set_loudness(tones, torch.full((2,), -20.0))))[:, 0, 0]
        self.assertAlmostEqual(float(level_db[0]), -20, delta=1.5)
        self.assertAlmostEqual(float(level_db[1]), -14, delta=0.5)

    def test_infrasound_is_not_raised_without_end(self):
        time_s = torch.arange(2 * RATE_HZ) / RATE_HZ
        tone = torch.sin(2 * torch.pi * 4 * time_s).expand(1, 2, -1)
        self.assertAlmostEqual(float(20 * torch.log10(active_level(set_loudness(tone, torch.tensor([-20.0]))))), -6, delta=0.3)

    def test_silence_stays_silence(self):
        self.assertEqual(float(set_loudness(torch.zeros(1, 2, RATE_HZ), torch.tensor([-20.0])).abs().max()), 0)


class BassTest(unittest.TestCase):
    def test_it_raises_deep_bass_and_nothing_else(self):
        curve_db = 20 * torch.log10(bass_curves(50, 1.0, "cpu")(1025))[:, 0]
        self.assertGreaterEqual(float(curve_db[:, 0].min()), 5.9)
        self.assertLess(float(curve_db[:, 0].max()), 18.1)
        self.assertLess(float(curve_db[:, 24:].max()), 0.1)  # from 517 Hz on

    def test_it_leaves_those_it_does_not_choose(self):
        self.assertEqual(float(bass_curves(5, 0.0, "cpu")(1025).max()), 1)


class TubeTest(unittest.TestCase):
    def test_one_pitch_and_its_multiples_stand_out(self):
        torch.manual_seed(1)
        curve = tube_curves(20, 1.0, "cpu")(22051)[:, 0]
        self.assertLess(float((curve.amax(1) - 1).abs().max()), 1e-3)
        for row in curve:
            peaks = 1 + torch.where((row[1:-1] > row[:-2]) & (row[1:-1] > row[2:]))[0]
            self.assertLess(abs(int(peaks[1]) - 2 * int(peaks[0])), 3)
            self.assertLess(float(row[: int(peaks[0])].min()), 0.4)

    def test_sounds_that_are_not_chosen_stay_as_they_are(self):
        self.assertEqual(float((tube_curves(5, 0.0, "cpu")(1025) - 1).abs().max()), 0)


class MasteringTest(unittest.TestCase):
    def test_stems_of_one_mixture_get_one_curve(self):
        torch.manual_seed(1)
        curves = mastering_curves(4, "cpu")
        self.assertEqual(curves(101).shape, (4, 1, 101))
        impulse = torch.zeros(8, 2, 4096)
        impulse[..., 0] = 1
        rooms = torch.zeros(1, 2, RATE_HZ)
        out = colour(impulse, rooms, 0, 0, lambda bins: curves(bins).repeat_interleave(2, 0))
        self.assertTrue(torch.allclose(out[0::2], out[1::2]))
        self.assertFalse(torch.allclose(out[0], out[2]))


if __name__ == "__main__":
    unittest.main()
