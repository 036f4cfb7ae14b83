import unittest

import torch

from training.grow import deepened, narrowed
from training.networks.band_split import BandSplit, BandSplitConfig
from training.networks.stft import BINS

SMALL = BandSplitConfig(width=16, depth=2, heads=2, feed_forward=24, mask_hidden=12)


def trained_network():
    """Not as initialised: its last matrices are as large as the others, so that every layer matters."""
    network = BandSplit(SMALL).eval()
    for name, parameter in network.named_parameters():
        if parameter.dim() > 1:
            parameter.copy_(torch.randn_like(parameter) * 0.3)
    return network


class GrowTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        torch.set_grad_enabled(False)
        self.addCleanup(torch.set_grad_enabled, True)
        self.spectra = torch.randn(2, 4, 33, BINS)

    def difference(self, network, other):
        expected = network(self.spectra)
        return float((other(self.spectra) - expected).norm() / expected.norm())

    def test_a_deeper_network_answers_as_before_and_its_new_layers_can_learn(self):
        network = trained_network()
        deeper = deepened(network, 5)
        self.assertEqual(len(deeper.time_layers), 5)
        self.assertLess(self.difference(network, deeper), 1e-6)
        deeper.band_layers[1].out.weight += 0.1 * torch.randn(16, 16)
        self.assertGreater(self.difference(network, deeper), 1e-3)

    def test_units_that_say_the_same_are_taken_out_without_loss(self):
        network = trained_network()
        for group in network.groups:
            group.hidden_weight[..., 7:] = group.hidden_weight[..., 2:7]
            group.hidden_bias[..., 7:] = group.hidden_bias[..., 2:7]
        narrow = narrowed(network, 7, self.spectra)
        self.assertEqual(narrow.groups[0].hidden_weight.shape[-1], 7)
        self.assertLess(self.difference(network, narrow), 1e-3)

    def test_taking_out_units_that_matter_costs_something(self):
        network = trained_network()
        costs = [self.difference(network, narrowed(network, hidden, self.spectra)) for hidden in (11, 4)]
        self.assertLess(costs[0], costs[1])


if __name__ == "__main__":
    unittest.main()
