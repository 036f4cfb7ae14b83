import unittest

import numpy
import torch

from training.mix.pool import Pool


class PoolTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        self.pool = Pool("cpu")
        # One maker with nine reels, one with a single reel of the same length; the samples show whose they are.
        self.pool.add(numpy.full((9000, 2), 9000, numpy.int16), [1000] * 9, [True] * 9, ["large"] * 9)
        self.pool.add(numpy.full((1000, 2), 1000, numpy.int16), [1000], [False], ["small"])

    def test_a_source_is_drawn_as_the_root_of_its_length_says(self):
        windows, is_full_band = self.pool.draw(4000, 100, torch.ones(4000))
        is_large = windows.mean((1, 2)) > 0.2
        self.assertTrue(torch.equal(is_large, is_full_band))
        self.assertAlmostEqual(float(is_large.float().mean()), 0.75, delta=0.03)

    def test_windows_are_read_at_the_rate_asked_for(self):
        pool = Pool("cpu")
        ramp = numpy.repeat(numpy.arange(1000, dtype=numpy.int16)[:, None], 2, 1)
        pool.add(ramp, [1000], [True], ["ramp"])
        window, _ = pool.draw(1, 100, torch.tensor([1.5]))
        self.assertTrue(torch.allclose(window[0].diff() * 32768, torch.tensor(1.5), atol=1e-2))


if __name__ == "__main__":
    unittest.main()
