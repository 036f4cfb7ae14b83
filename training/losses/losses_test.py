import unittest

import torch

from training.losses.correlation import negative_sdr, negative_si_sdr
from training.losses.ratio import log_ratio
from training.losses.scores import sdr, si_sdr
from training.losses.separation import separation_loss


class ScoresTest(unittest.TestCase):
    def test_twenty_db_of_noise_score_twenty_db(self):
        stem = torch.randn(1, 2, 100000)
        estimate = stem + 0.1 * torch.randn_like(stem)
        self.assertAlmostEqual(float(sdr(estimate, stem)), 20, delta=0.2)

    def test_si_sdr_does_not_see_the_level(self):
        stem = torch.randn(1, 2, 100000)
        estimate = stem + 0.1 * torch.randn_like(stem)
        self.assertAlmostEqual(float(si_sdr(0.3 * estimate, stem)), float(si_sdr(estimate, stem)), delta=0.01)


class RatioTest(unittest.TestCase):
    def test_a_silent_stem_has_a_finite_loss_that_falls_with_leakage(self):
        stems = torch.zeros(1, 3, 2, 100)
        stems[:, 0] = torch.randn(2, 100)
        mixture = stems.sum(1, keepdim=True)
        leak = stems + 0.1
        less = stems + 0.01
        self.assertLess(log_ratio(less, stems, mixture, 0.1), log_ratio(leak, stems, mixture, 0.1))


class SeparationLossTest(unittest.TestCase):
    def setUp(self):
        self.stems = torch.randn(2, 3, 2, 4000)
        self.wrong_music = self.stems.clone()
        self.wrong_music[:, 1] += 0.5 * torch.randn(2, 2, 4000)

    def loss(self, **weights):
        weights = {"waveform": 0.5, "spectrum": 1.0, "si_sdr": 0.1, **weights}
        return float(separation_loss(self.wrong_music, self.wrong_music, self.stems, self.stems, weights))

    def test_a_mistake_costs_more_in_a_stem_that_counts_more(self):
        self.assertGreater(self.loss(stems=[0.5, 2.0, 0.5]), self.loss(stems=[0.5, 0.5, 2.0]))

    def test_stems_that_count_alike_change_nothing(self):
        self.assertAlmostEqual(self.loss(stems=[1.0, 1.0, 1.0]), self.loss(), delta=1e-5)


class CorrelationTest(unittest.TestCase):
    def test_it_is_minus_si_sdr_and_passes_over_silent_stems(self):
        stems = torch.zeros(2, 3, 2, 20000)
        stems[:, :2] = torch.randn(2, 2, 2, 20000)
        estimate = 0.3 * (stems + 0.3 * torch.randn_like(stems))
        expected = -si_sdr(estimate[:, :2], stems[:, :2]).mean()
        self.assertAlmostEqual(float(negative_si_sdr(estimate, stems)), float(expected), delta=0.1)

    def test_half_to_each_is_better_than_a_wrong_choice(self):
        stems = torch.randn(1, 2, 2, 20000)
        shared = stems.sum(1, keepdim=True).expand_as(stems) / 2
        self.assertLess(negative_si_sdr(shared, stems), negative_si_sdr(stems.flip(1), stems))

    def test_only_sdr_asks_for_the_level(self):
        stems = torch.zeros(2, 3, 2, 20000)
        stems[:, :2] = torch.randn(2, 2, 2, 20000)
        estimate = stems + 0.3 * torch.randn_like(stems)
        self.assertAlmostEqual(float(negative_sdr(estimate, stems)), -float(sdr(estimate[:, :2], stems[:, :2]).mean()), delta=0.1)
        self.assertGreater(float(negative_sdr(0.08 * estimate, stems)), -1)
        self.assertAlmostEqual(float(negative_si_sdr(0.08 * estimate, stems)), float(negative_si_sdr(estimate, stems)), delta=0.1)


if __name__ == "__main__":
    unittest.main()
