import unittest

import torch

from training.optimizers.finite_step import step_if_finite
from training.optimizers.muon import make_optimizers


class FiniteStepTest(unittest.TestCase):
    def test_a_step_without_finite_gradients_changes_neither_weights_nor_momentum(self):
        layer = torch.nn.Module()
        layer.up = torch.nn.Linear(8, 8)
        optimizers = make_optimizers(layer, 0.01, 0.01)
        self.assertEqual(len(optimizers), 2)

        def step(factor):
            (layer.up(torch.ones(4, 8)).square().sum() * factor).backward()
            return step_if_finite(optimizers, torch.nn.utils.clip_grad_norm_(layer.parameters(), 3.0))

        def state():
            return [value.clone() for value in layer.parameters()] + [value.clone() for one in optimizers for entry in one.state.values() for value in entry.values()]

        self.assertTrue(step(1.0))
        before = state()
        for factor in (float("nan"), float("inf")):
            self.assertFalse(step(factor))
            for value, then in zip(state(), before, strict=True):
                self.assertTrue(torch.equal(value, then))
        self.assertTrue(step(1.0))
        self.assertFalse(torch.equal(layer.up.weight, before[0]))
        self.assertTrue(torch.isfinite(layer.up.weight).all())


if __name__ == "__main__":
    unittest.main()
