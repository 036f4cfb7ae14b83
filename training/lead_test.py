"""Lead and backing vocals: songs of several voices on one tune, and mixtures of them."""

import random
import unittest

import numpy
import torch

from training.evaluate_lead import score
from training.mix import augment, held_out_lead
from training.mix.lead_vocals import TRACKS, LeadVocals, draw_tracks, echo, uneven
from training.mix.pool import Pool
from training.prepare import ensembles
from training.prepare.sung_speech import Note, Voice, compose, pitch_of, track_pitch
from training.prepare.sung_speech_test import RATE_HZ, speech


def onset(song):
    """The second in which a song becomes loud."""
    return float(numpy.flatnonzero(numpy.abs(song) > 0.1 * numpy.abs(song).max())[0]) / RATE_HZ


class Ensembles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.voices = [Voice(speech()[at:], RATE_HZ) for at in (0, 2000, 4000)]

    def test_two_voices_on_one_tune_start_together(self):
        """Within two periods: a syllable's first pulse may be anywhere in its first one."""
        notes = [Note(1.0, 0.5, 0, 0.02, 0.0), Note(2.0, 0.5, 4, 0.02, 0.0)]
        songs = [voice.sing(notes, 150, 4, first) for voice, first in zip(self.voices, (0, 3))]
        onsets = [onset(song[int(0.99 * RATE_HZ) :]) for song in songs]
        self.assertLess(abs(onsets[0] - onsets[1]), 2 / 150)

    def test_a_harmony_has_the_pitch_asked_for(self):
        for steps, semitones in ((2, 4), (-2, -3), (5, 9), (7, 12)):
            notes = ensembles.shift([Note(0.5, 2.0, 0, 0.01, 0.0)], steps)
            periods = track_pitch(self.voices[0].sing(notes, 150, 3), RATE_HZ)[150:400]
            found = 12 * numpy.log2(RATE_HZ / numpy.median(periods[periods > 0]) / 150)
            self.assertAlmostEqual(found, semitones, delta=0.35)

    def test_scale_steps_go_on_above_and_below_an_octave(self):
        self.assertEqual([pitch_of(degree) for degree in (-7, -2, 0, 2, 7, 9)], [-12, -3, 0, 4, 12, 16])

    def test_a_double_is_near_the_lead_but_not_on_it(self):
        notes = compose(random.Random(1), 19)
        away = [abs(own.start_s - other.start_s) for own, other in zip(notes, ensembles.humanize(notes, random.Random(2)))]
        self.assertTrue(all(0.0099 < late < 0.0401 for late in away))

    def test_a_song_has_all_tracks_at_one_length(self):
        song = ensembles.make_song(self.voices, random.Random(3))
        self.assertEqual(song.shape, (len(ensembles.TRACKS), ensembles.SONG_S * ensembles.RATE_HZ))
        self.assertEqual(len(ensembles.TRACKS), TRACKS)
        self.assertTrue((numpy.abs(song).max(1) > 0.01).all())


    def test_a_pair_is_taken_where_both_sing(self):
        lead, backing = numpy.zeros((200 * ensembles.RATE_HZ, 2)), numpy.zeros((200 * ensembles.RATE_HZ, 2))
        lead[: 90 * ensembles.RATE_HZ], backing[60 * ensembles.RATE_HZ :] = 0.1, 0.5
        start = ensembles.most_sung_second([lead, backing])
        self.assertTrue(10 <= start <= 60)


class Pools(dict):
    device = "cpu"


def song_pool(tracks, frames):
    """Two reels whose tracks are constant: 1000 times their number."""
    pool = Pool("cpu")
    reel = numpy.repeat(1000 * (1 + numpy.arange(tracks, dtype=numpy.int16)), frames)
    pool.add(numpy.stack([reel, reel], 1).repeat(1, 0), [len(reel)], [True], ["one"])
    pool.add(numpy.stack([reel, reel], 1), [len(reel)], [True], ["two"])
    return pool


class Mixtures(unittest.TestCase):
    def test_a_window_has_the_same_seconds_of_all_tracks(self):
        drawn = draw_tracks(song_pool(TRACKS, 5000), TRACKS, 4, 800)
        self.assertEqual(tuple(drawn.shape), (4, TRACKS, 2, 800))
        self.assertTrue(torch.equal((drawn * 32768).round(), (1000.0 * (1 + torch.arange(TRACKS)))[None, :, None, None].expand_as(drawn)))

    def test_mixtures_are_a_lead_and_mostly_quieter_backing_and_some_lack_one(self):
        torch.manual_seed(0)
        pool = Pool("cpu")
        frames = 40 * 1024
        pool.add((3000 * numpy.random.RandomState(0).randn(TRACKS * 2 * frames, 2)).astype(numpy.int16), [TRACKS * 2 * frames], [True], ["one"])
        stems = torch.cat([LeadVocals(Pools({"ensemble.train": pool}), frames, rooms=4).draw(20) for _ in range(4)])
        self.assertEqual(tuple(stems.shape), (80, 2, 2, frames))
        self.assertTrue(bool(stems.isfinite().all()))
        power = stems.square().mean((2, 3))
        alone, unled = power[:, 1] < 1e-9, power[:, 0] < 1e-9
        self.assertTrue(3 <= int(alone.sum()) <= 24 and 1 <= int(unled.sum()) <= 16)
        both = ~alone & ~unled
        self.assertTrue(0.65 < float((power[both, 0] > power[both, 1]).float().mean()) < 0.97)

    def test_an_echo_is_late_and_nothing_comes_before_it(self):
        sound = torch.zeros(3, 2, augment.RATE_HZ)
        sound[..., 100] = 1.0
        found = (echo(sound, 1.0)[:, 0] != 0).nonzero()[:, 1].view(3, 2)
        self.assertTrue(bool((found[:, 0] == 100).all() and (found[:, 1] > 100 + 0.07 * augment.RATE_HZ).all()))

    def test_uneven_gains_are_the_same_for_both_stems(self):
        torch.manual_seed(0)
        stems = torch.randn(2, 1, 2, 40 * 1024).expand(-1, 2, -1, -1).contiguous()
        changed = uneven(stems, 1.0)
        self.assertTrue(torch.allclose(changed[:, 0], changed[:, 1], atol=1e-5))
        self.assertLess(float(changed.square().mean()), float(stems.square().mean()))


class Measures(unittest.TestCase):
    def test_the_held_out_set_is_the_same_every_time_and_ends_with_a_lead_alone(self):
        dice = numpy.random.RandomState(0)
        reels = {"ensemble": [(3000 * dice.randn(TRACKS * 12 * 44100, 2)).astype(numpy.int16)]}
        make = lambda number: held_out_lead.make_mixture(reels, number)
        self.assertTrue(numpy.array_equal(make(1), make(1)))
        self.assertGreater(float(numpy.abs(make(1)[1]).max()), 0)
        self.assertEqual(float(numpy.abs(make(held_out_lead.COUNT - 1)[1]).max()), 0)

    def test_giving_all_to_the_lead_gains_nothing_and_leaves_a_lead_alone_as_it_is(self):
        stems = torch.randn(2, 2, 2, 9 * 44100)
        stems[1, 1] = 0
        run = lambda spectrum: torch.stack([spectrum, torch.zeros_like(spectrum)], 1)
        result = score(run, stems)
        self.assertAlmostEqual(result["lead_gain"], 0, delta=0.05)
        self.assertLess(result["lead_change"], -40)
        self.assertLess(result["backing_level"], -60)


if __name__ == "__main__":
    unittest.main()
