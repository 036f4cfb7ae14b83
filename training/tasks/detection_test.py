import unittest

import torch

from training.networks.stft import BINS
from training.tasks.detection import mask_ranges


class MaskRangesTest(unittest.TestCase):
    def test_it_takes_a_part_of_the_frequencies_away_and_leaves_the_rest(self):
        torch.manual_seed(1)
        masked = mask_ranges(torch.ones(50, 3, BINS))
        self.assertEqual(set(masked.unique().tolist()), {0.0, 1.0})
        self.assertTrue((masked == masked[:, :1]).all())
        self.assertLess(float((masked == 0).float().mean()), 0.2)


if __name__ == "__main__":
    unittest.main()
