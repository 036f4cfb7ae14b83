import unittest

import torch

from training.mix.separated import SeparatedSongs, gains_within, separate, share_out, split_separated

FRAMES = 44100


class Halving:
    """Takes half of a song for `other`."""

    def other(self, song):
        return song / 2


class HeardTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        self.stems = torch.randn(2, 5, 2, FRAMES)
        self.stems[:, 1] = 0
        self.backing = torch.randn(2, 3, 2, FRAMES)

    def test_gains_are_those_the_parts_were_mixed_with(self):
        parts = torch.cat([self.stems, self.backing], 1)
        gains = torch.tensor([0.9, 0.0, 0.3, 1.0, 0.0, 0.1, 0.0, 0.5])
        found = gains_within((parts * gains[:, None, None]).sum(1), parts).mean((0, 2, 3))
        self.assertLess(float((found - gains).abs().max()), 0.02)

    def test_stems_sum_to_what_was_heard_and_silent_ones_stay_silent(self):
        left, played = split_separated(separate(Halving(), self.stems, self.backing))
        song = self.stems.sum(1) + self.backing.sum(1)
        self.assertLess(float((left.sum(1) - song / 2).abs().max()), 1e-4)
        self.assertTrue(torch.equal(played, torch.cat([self.stems[:, :-1], left[:, -1:]], 1)))
        self.assertEqual(float(left[:, 1].abs().max()), 0)
        self.assertAlmostEqual(float((left[:, 0] * self.stems[:, 0]).sum() / self.stems[:, 0].square().sum()), 0.5, delta=0.02)

    def test_what_a_network_makes_of_an_instrument_alone_stays_with_it(self):
        class Shuffling:
            def other(self, song):
                return song.flip(1) + 0.3 * song.roll(300, -1)

        alone = torch.zeros_like(self.stems)
        alone[:, 2] = self.stems[:, 2]
        separated = separate(Shuffling(), alone, torch.zeros_like(self.backing))
        self.assertEqual(float(separated[:, [0, 1, 3]].abs().max()), 0)
        self.assertLess(float(separated[:, 4].square().sum() / separated[:, 2].square().sum()), 1e-4)

    def test_a_sound_goes_to_the_part_it_lies_over(self):
        time = torch.arange(FRAMES) / 44100
        low, high = (torch.sin(6.283 * hz * time).expand(1, 1, 2, FRAMES) for hz in (300, 3000))
        shared = share_out((0.5 * low + 0.1 * high)[:, 0], torch.cat([low, high, 0 * low], 1))
        middle = shared[..., 4096:-4096]
        self.assertLess(float((middle[:, 0] - 0.5 * low[:, 0, :, 4096:-4096]).abs().max()), 0.02)
        self.assertEqual(float(shared[:, 2].abs().max()), 0)

    def test_new_songs_replace_the_oldest(self):
        songs = SeparatedSongs(Halving(), 3)
        songs.add(self.stems, self.backing)
        first = songs.songs.clone()
        songs.add(self.stems, self.backing)
        self.assertEqual((songs.songs != first).flatten(1).any(1).tolist(), [True, False, True])
        self.assertEqual(songs.draw(7).shape, (7, 10, 2, FRAMES))


if __name__ == "__main__":
    unittest.main()
