import unittest

import torch

from training.mean_weights import mean_of
from training.networks.band_split import BandSplit, BandSplitConfig
from training.networks.music_detector import MusicDetector, MusicDetectorConfig, evidence
from training.networks.stft import BINS, HOP, istft, power_spectrum, stft

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


class MeanTest(unittest.TestCase):
    def test_every_weight_is_half_way_between_two_networks(self):
        networks = [torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2)) for _ in range(2)]
        for value, network in zip((1.0, 4.0), networks):
            for parameter in network.parameters():
                torch.nn.init.constant_(parameter, value)
            network[1].running_var.fill_(value)
        self.assertTrue(all(bool((mean == 2.5).all()) for name, mean in mean_of(networks).items() if "running_mean" not in name and "batches" not in name))


class MusicDetectorTest(unittest.TestCase):
    def test_a_piece_with_its_context_gives_what_the_whole_gives(self):
        network = MusicDetector(MusicDetectorConfig(width=16, hidden=16)).eval()
        power = torch.rand(1, 1400, BINS)
        with torch.no_grad():
            whole, piece = network.probability(power), network.probability(power[:, 200:1200])
        self.assertLess((whole[:, 150:200] - piece[:, 100:150]).abs().max(), 1e-5)

    def test_confidence_counts_what_is_heard_beside_the_music(self):
        logits = torch.tensor([[0.5, 9.0, -9.0], [0.5, -9.0, 9.0]])
        self.assertTrue(torch.allclose(evidence(logits), torch.tensor([[0.5, 1, 0, 0.5], [0.5, 0, 1, 0]]), atol=1e-3))
        network = MusicDetector(MusicDetectorConfig(width=16, hidden=16, confidence=(0.5, 0.0, 0.0, 0.0, 1.0))).eval()
        power = torch.rand(1, 40, BINS)
        with torch.no_grad():
            expected = torch.sigmoid(0.5 * network(power)[..., 0] + 1)
            self.assertLess((network.probability(power) - expected).abs().max(), 1e-6)

    def test_silence_has_features_of_zero(self):
        self.assertEqual(float(MusicDetector().features(torch.zeros(1, 3, BINS)).abs().max()), 0)

    def test_the_power_spectrum_is_that_of_the_transform(self):
        sound = torch.randn(2, 8 * HOP)
        parts = stft(sound)
        self.assertLess((parts[:2].square().sum(0) - power_spectrum(sound)[0]).abs().max(), 1e-2)


if __name__ == "__main__":
    unittest.main()
