import unittest

import torch

from training.mix.amplifier import amplify, wah
from training.mix.augment import RATE_HZ


class AmplifierTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        self.sound = 0.1 * torch.randn(3, 2, 2 * RATE_HZ)

    def test_a_drive_of_0_leaves_a_sound_as_it_is(self):
        driven = amplify(self.sound, torch.tensor([0.0, 20.0, 0.0]))
        self.assertTrue(torch.equal(driven[[0, 2]], self.sound[[0, 2]]))
        self.assertFalse(torch.equal(driven[1], self.sound[1]))

    def test_a_wah_wanders_over_the_sounds_that_have_it(self):
        output = wah(self.sound, [1])
        self.assertTrue(torch.equal(output[[0, 2]], self.sound[[0, 2]]))
        window = torch.hann_window(2048)
        power = torch.stft(output[1, 0], 2048, 1024, window=window, return_complex=True).abs().square()
        middle = (power * torch.arange(1025.0)[:, None]).sum(0) / power.sum(0)
        self.assertGreater(float(middle[4:-4].max() / middle[4:-4].min()), 1.5)

    def test_without_a_wah_nothing_is_done(self):
        self.assertIs(wah(self.sound, []), self.sound)


if __name__ == "__main__":
    unittest.main()
