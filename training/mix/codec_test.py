import unittest

import torch

from training.mix.augment import RATE_HZ
from training.mix.codec import code, through_codec


class CodecTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)

    def test_a_tone_survives_and_what_lies_above_the_band_does_not(self):
        time_s = torch.arange(RATE_HZ) / RATE_HZ
        tone = torch.sin(2 * torch.pi * 440 * time_s).expand(6, 2, -1)
        whistle = 0.5 * torch.sin(2 * torch.pi * 21000 * time_s)
        coded = code(tone + whistle)
        middle = slice(4096, -4096)
        error = (coded - tone)[..., middle].square().mean((1, 2)) / tone[..., middle].square().mean()
        self.assertLess(float(error.max()), 0.2)

    def test_noise_is_changed_by_different_amounts(self):
        noise = torch.randn(32, 2, RATE_HZ)
        error_db = 10 * torch.log10((code(noise) - noise).square().mean((1, 2)))
        self.assertLess(float(error_db.max()), 1)
        self.assertGreater(float(error_db.max() - error_db.min()), 3)

    def test_silence_and_the_sounds_not_chosen_stay(self):
        self.assertEqual(float(code(torch.zeros(2, 2, 8192)).abs().max()), 0)
        noise = torch.randn(8, 2, 8192)
        self.assertTrue(torch.equal(through_codec(noise, 0), noise))
        is_same = (through_codec(noise, 0.5) == noise).flatten(1).all(1)
        self.assertTrue(0 < int(is_same.sum()) < 8)


if __name__ == "__main__":
    unittest.main()
