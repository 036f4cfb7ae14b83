import unittest

import torch

from training.networks.band_split import BandSplit, BandSplitConfig
from training.networks.stft import BINS, HOP, istft, stft

SMALL = BandSplitConfig(width=16, depth=1, heads=2, feed_forward=32, mask_hidden=16)


class StftTest(unittest.TestCase):
    def test_istft_after_stft_gives_the_sound(self):
        for samples in (40 * HOP, 40 * HOP + 300):
            sound = torch.randn(1, 2, samples)
            self.assertLess((istft(stft(sound), samples) - sound).abs().max(), 1e-5)


class BandSplitTest(unittest.TestCase):
    def test_the_stems_sum_to_the_mix(self):
        spectrum = torch.randn(2, 4, 20, BINS)
        with torch.no_grad():
            stems = BandSplit(SMALL)(spectrum)
        self.assertEqual(stems.shape, (2, 3, 4, 20, BINS))
        self.assertLess((stems.sum(1) - spectrum).abs().max(), 1e-5)

    def test_the_level_of_the_input_changes_nothing_but_the_level_of_the_stems(self):
        network = BandSplit(SMALL)
        spectrum = torch.randn(1, 4, 20, BINS)
        with torch.no_grad():
            loud, quiet = network(spectrum), network(spectrum * 0.01)
        self.assertLess((loud * 0.01 - quiet).abs().max(), 1e-4)

    def test_every_bin_has_a_band(self):
        self.assertGreaterEqual(BandSplitConfig().padded_bins, BINS)

    def test_the_shipped_network_has_less_than_seven_million_parameters(self):
        self.assertLess(sum(p.numel() for p in BandSplit().parameters()), 7e6)


if __name__ == "__main__":
    unittest.main()
