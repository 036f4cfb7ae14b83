import unittest

import torch

from training.optimizers.clip import zero_unless_finite


def step_with(factor):
    """The weight of a layer after one step on an input times `factor`; it starts at 1."""
    layer = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.ones_(layer.weight)
    layer(torch.tensor([[2.0]]) * factor).sum().backward()
    zero_unless_finite(layer.parameters(), torch.nn.utils.clip_grad_norm_(layer.parameters(), 3.0))
    torch.optim.SGD(layer.parameters(), lr=0.1).step()
    return float(layer.weight)


class ClipTest(unittest.TestCase):
    def test_a_step_without_finite_gradients_changes_nothing(self):
        self.assertAlmostEqual(step_with(1.0), 0.8, places=5)
        self.assertEqual(step_with(float("nan")), 1)
        self.assertEqual(step_with(float("inf")), 1)


if __name__ == "__main__":
    unittest.main()
