import random
import unittest

import numpy

from training.prepare.sung_speech import SCALE, find_syllables, hold, sing_a_tune, track_pitch

RATE_HZ = 16000


def gliding_voice(seconds, from_hz, to_hz):
    """Pulses through one resonance, like a vowel with a moving pitch."""
    pitch_hz = numpy.linspace(from_hz, to_hz, int(seconds * RATE_HZ))
    phase = numpy.cumsum(pitch_hz) / RATE_HZ
    pulses = numpy.diff(numpy.floor(phase), prepend=0)
    time_s = numpy.arange(400) / RATE_HZ
    return numpy.convolve(pulses, numpy.exp(-300 * time_s) * numpy.cos(2 * numpy.pi * 700 * time_s))[: len(pulses)]


def speech():
    silence = numpy.zeros(RATE_HZ // 10)
    return numpy.concatenate([part for number in range(8) for part in (silence, gliding_voice(0.2, 110 + 5 * number, 150 - 3 * number))])


class SungSpeechTest(unittest.TestCase):
    def test_the_pitch_of_a_voice_is_found_and_none_in_silence(self):
        periods = track_pitch(numpy.concatenate([gliding_voice(0.5, 120, 120), numpy.zeros(RATE_HZ // 2)]), RATE_HZ)
        voiced = periods[periods > 0]
        self.assertAlmostEqual(RATE_HZ / numpy.median(voiced), 120, delta=2)
        self.assertEqual(int((periods[-20:] > 0).sum()), 0)

    def test_each_syllable_is_found_once(self):
        self.assertEqual(len(list(find_syllables(track_pitch(speech(), RATE_HZ)))), 8)

    def test_a_gliding_voice_is_held_at_the_pitch_it_is_given(self):
        voice = gliding_voice(0.2, 110, 150)
        periods = track_pitch(numpy.concatenate([voice, numpy.zeros(RATE_HZ)]), RATE_HZ)[:30]
        held = hold(voice[: 30 * 80], periods, 80, RATE_HZ, lambda _: RATE_HZ / 200)
        found = track_pitch(held[:RATE_HZ], RATE_HZ)
        self.assertGreater(float((abs(RATE_HZ / numpy.maximum(found, 1) - 200) < 4).mean()), 0.9)

    def test_a_song_keeps_to_the_notes_of_a_scale(self):
        song = sing_a_tune(speech(), RATE_HZ, random.Random(1), 10)
        self.assertEqual(len(song), 10 * RATE_HZ)
        periods = track_pitch(song, RATE_HZ)
        semitones = 12 * numpy.log2(RATE_HZ / periods[periods > 0])
        notes = numpy.array(SCALE)
        away = [abs((semitones[:, None] - home - notes + 6) % 12 - 6).min(1) for home in numpy.arange(0, 12, 0.1)]
        self.assertLess(min(float(numpy.median(distance)) for distance in away), 0.3)

    def test_what_has_no_syllables_is_not_sung(self):
        self.assertIsNone(sing_a_tune(numpy.zeros(3 * RATE_HZ), RATE_HZ, random.Random(1), 10))


if __name__ == "__main__":
    unittest.main()
