import unittest

import torch

from training.losses.silence import silence_level


class SilenceTest(unittest.TestCase):
    def setUp(self):
        self.stems = torch.zeros(2, 3, 2, 1000)
        self.stems[:, 0] = torch.randn(2, 2, 1000)

    def test_a_stem_that_should_be_silent_is_measured_against_the_mixture(self):
        estimate = self.stems.clone()
        estimate[:, 1:] = 0.1 * self.stems[:, :1]
        self.assertAlmostEqual(float(silence_level(estimate, self.stems)), -20, delta=0.05)

    def test_stems_that_are_there_do_not_count(self):
        self.assertAlmostEqual(float(silence_level(self.stems * 5, self.stems)), -50, delta=0.1)
        self.assertEqual(float(silence_level(self.stems[:, :1] * 2, self.stems[:, :1])), 0)


if __name__ == "__main__":
    unittest.main()
