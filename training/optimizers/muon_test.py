import unittest

import torch

from training.optimizers.muon import make_optimizers, orthogonalize, to_wide_stack


class MuonTest(unittest.TestCase):
    def test_orthogonalize_brings_all_singular_values_near_one(self):
        values = torch.linalg.svdvals(orthogonalize(torch.randn(3, 16, 24)))
        self.assertGreater(values.min(), 0.4)
        self.assertLess(values.max(), 1.4)

    def test_query_key_and_value_are_matrices_of_their_own(self):
        self.assertEqual(to_wide_stack("x.qkv.weight", torch.zeros(24, 8)).shape, (3, 8, 8))

    def test_a_step_lowers_a_least_squares_loss_for_tall_and_wide_matrices(self):
        for shape in ((8, 24), (24, 8), (8, 8)):
            torch.manual_seed(0)
            layer = torch.nn.Module()
            layer.up = torch.nn.Linear(shape[1], shape[0])
            x, y = torch.randn(64, shape[1]), torch.randn(64, shape[0])
            loss = lambda: (layer.up(x) - y).square().mean()
            before = float(loss().detach())
            for _ in range(30):
                loss().backward()
                for optimizer in make_optimizers(layer, 0.01, 0.01):
                    optimizer.step()
                    optimizer.zero_grad(set_to_none=True)
            self.assertLess(float(loss().detach()), before)


if __name__ == "__main__":
    unittest.main()
