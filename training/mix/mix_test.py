import unittest

import torch

from training.mix.music_presence import KINDS, SPAN, USES, MusicPresence, audible


class HeardTest(unittest.TestCase):
    def setUp(self):
        self.stems = torch.zeros(1, 3, 60 * SPAN)
        self.stems[:, 1] = 0.1 * torch.randn(60 * SPAN)

    def test_music_is_heard_from_its_entry_to_its_exit(self):
        self.stems[0, 0, 20 * SPAN : 40 * SPAN] = 0.1 * torch.randn(20 * SPAN)
        is_audible, is_certain = audible(self.stems)
        self.assertEqual(is_audible.shape, (1, 3, 61))
        self.assertEqual(is_audible[0, 0, :20].sum() + is_audible[0, 0, 41:].sum(), 0)
        self.assertEqual(is_audible[0, 0, 20:40].sum(), 20)
        self.assertEqual(is_certain[0, 0].min(), 1)

    def test_a_short_rest_belongs_to_the_music(self):
        self.stems[0, 0] = 0.1 * torch.randn(60 * SPAN)
        self.stems[0, 0, 30 * SPAN : 33 * SPAN] = 0
        self.assertEqual(audible(self.stems)[0][0, 0].min(), 1)

    def test_what_is_barely_there_is_not_asked(self):
        self.stems[0, 0] = 0.1 * 10 ** (-32 / 20) * torch.randn(60 * SPAN)
        is_audible, is_certain = audible(self.stems)
        self.assertEqual(is_audible[0, 0].max() + is_certain[0, 0].max(), 0)


class NoisePool:
    def draw(self, count, frames, rates):
        return 0.1 * torch.randn(count, 2, frames), torch.ones(count, dtype=torch.bool)


class NoisePools(dict):
    device = "cpu"


class MusicPresenceTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        pools = NoisePools({f"{role}.train": NoisePool() for role in ("dialogue", "music", "singing", "effects", "ambience")})
        self.mixer = MusicPresence(pools, 60 * SPAN)

    def test_a_mixture_comes_with_what_is_heard_in_it(self):
        mixture, is_audible, is_certain = self.mixer.draw(2 * USES)
        self.assertEqual(mixture.shape, (2 * USES, 60 * SPAN))
        self.assertEqual(is_audible.shape, (2 * USES, 3, 61))
        self.assertEqual(is_certain.shape, is_audible.shape)
        self.assertTrue(mixture.isfinite().all())

    def test_in_turn_one_kind_at_most_is_heard(self):
        envelopes = self.mixer._in_turn(40)
        self.assertEqual(envelopes.shape, (40, len(KINDS), 60 * SPAN))
        is_alone = (envelopes > 0).sum(1) <= 1
        self.assertGreater(float(is_alone.float().mean()), 0.95)  # all but the fades
        self.assertTrue((envelopes.amax((0, 2)) > 0).all())


if __name__ == "__main__":
    unittest.main()
