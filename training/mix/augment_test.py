import unittest

import torch

from training.mix.augment import RATE_HZ, colour, compress, mastering_curves


class CompressTest(unittest.TestCase):
    def test_it_brings_a_quiet_half_nearer_to_a_loud_one(self):
        sound = torch.randn(1, 2, 2 * RATE_HZ)
        sound[..., RATE_HZ:] *= 0.1
        out = compress(sound, torch.tensor([0.5]))
        ratio_db = 20 * torch.log10(out[..., : RATE_HZ - 2048].std() / out[..., RATE_HZ + 2048 :].std())
        self.assertAlmostEqual(float(ratio_db), 10, delta=0.5)

    def test_silence_stays_silence(self):
        self.assertEqual(float(compress(torch.zeros(1, 2, 8192), torch.tensor([0.6])).abs().max()), 0)


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
