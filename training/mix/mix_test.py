import unittest

import torch

from training.mix.music_presence import SPAN, heard


class HeardTest(unittest.TestCase):
    def setUp(self):
        self.stems = torch.zeros(1, 3, 60 * SPAN)
        self.stems[:, 1] = 0.1 * torch.randn(60 * SPAN)

    def test_music_is_heard_from_its_entry_to_its_exit(self):
        self.stems[0, 0, 20 * SPAN : 40 * SPAN] = 0.1 * torch.randn(20 * SPAN)
        is_heard, is_certain = heard(self.stems)
        self.assertEqual(is_heard.shape, (1, 3, 61))
        self.assertEqual(is_heard[0, 0, :20].sum() + is_heard[0, 0, 41:].sum(), 0)
        self.assertEqual(is_heard[0, 0, 20:40].sum(), 20)
        self.assertEqual(is_certain[0, 0].min(), 1)

    def test_a_short_rest_belongs_to_the_music(self):
        self.stems[0, 0] = 0.1 * torch.randn(60 * SPAN)
        self.stems[0, 0, 30 * SPAN : 33 * SPAN] = 0
        self.assertEqual(heard(self.stems)[0][0, 0].min(), 1)

    def test_what_is_barely_there_is_not_asked(self):
        self.stems[0, 0] = 0.1 * 10 ** (-32 / 20) * torch.randn(60 * SPAN)
        is_heard, is_certain = heard(self.stems)
        self.assertEqual(is_heard[0, 0].max() + is_certain[0, 0].max(), 0)


if __name__ == "__main__":
    unittest.main()
