import math
import unittest

import numpy
import torch

from training.mix.arrange import NOTE
from training.mix.render_notes import BLOCK, block_table, render_notes

FRAMES = 20000


def tone(frames, hz):
    wave = 20000 * numpy.sin(2 * numpy.pi * hz * numpy.arange(frames) / 44100)
    return torch.from_numpy(numpy.repeat(wave[:, None], 2, axis=1).astype(numpy.int16))


def one_note(**fields):
    note = numpy.zeros(1, NOTE)
    values = {"frames": 30000, "ratio": 1.0, "gain": 1.0, "held": 30000, "attack": 1, "release": 100, **fields}
    for name, value in values.items():
        note[name] = value
    return note


class RenderNotesTest(unittest.TestCase):
    def test_a_note_at_its_own_pitch_is_what_was_recorded(self):
        samples = tone(30000, 440)
        out = render_notes(samples, one_note(onset=1000), 1, FRAMES)
        self.assertEqual(out.shape, (1, 2, FRAMES))
        self.assertEqual(float(out[..., :1000].abs().max()), 0)
        expected = samples[: FRAMES - 1000].float().T / 32768
        self.assertLess(float((out[0, :, 1002:] - expected[:, 2:]).abs().max()), 1e-4)

    def test_an_octave_up_is_twice_the_frequency(self):
        out = render_notes(tone(40000, 440), one_note(frames=40000, ratio=2.0), 1, FRAMES)
        spectrum = torch.fft.rfft(out[0, 0] * torch.hann_window(FRAMES)).abs()
        self.assertAlmostEqual(float(spectrum.argmax()) * 44100 / FRAMES, 880, delta=3)

    def test_a_fractional_ratio_stays_exact_over_many_blocks(self):
        ratio = 2 ** (3 / 12)
        out = render_notes(tone(40000, 440), one_note(frames=40000, ratio=ratio), 1, FRAMES)
        time = torch.arange(FRAMES, dtype=torch.float64)
        expected = 20000 / 32768 * torch.sin(2 * math.pi * 440 * ratio * time / 44100)
        self.assertLess(float((out[0, 0] - expected)[10:].abs().max()), 2e-3)

    def test_a_slide_comes_from_below_and_arrives_at_the_pitch(self):
        out = render_notes(tone(40000, 440), one_note(frames=40000, held=40000, slide=200, slide_rate=1 / 2000), 1, FRAMES)[0, 0]
        crossings = lambda piece: int((piece[1:] * piece[:-1] < 0).sum())
        self.assertAlmostEqual(crossings(out[:2205]), 44 - 2 * 440 * 200 * (1 - math.exp(-2205 / 2000)) / 44100, delta=1.5)
        self.assertAlmostEqual(crossings(out[-2205:]), 44, delta=1)

    def test_vibrato_moves_the_place_by_its_width(self):
        out = render_notes(tone(40000, 440), one_note(frames=40000, held=40000, swing=20, swing_rate=2 * math.pi * 5 / 44100), 1, FRAMES)[0, 0]
        time = torch.arange(15000, FRAMES, dtype=torch.float64)
        place = time + 20 * torch.sin(2 * math.pi * 5 / 44100 * time)
        self.assertLess(float((out[15000:] - 20000 / 32768 * torch.sin(2 * math.pi * 440 * place / 44100)).abs().max()), 5e-3)

    def test_notes_of_a_part_add_up_and_parts_stay_apart(self):
        notes = numpy.concatenate([one_note(part=0), one_note(part=0), one_note(part=1, gain=0.5)])
        out = render_notes(tone(30000, 440), notes, 2, FRAMES)
        self.assertLess(float((out[0] - 4 * out[1]).abs().max()), 1e-5)

    def test_a_released_note_ends(self):
        out = render_notes(tone(30000, 440), one_note(held=5000, release=1000), 1, FRAMES)
        self.assertEqual(float(out[..., 6001:].abs().max()), 0)
        self.assertGreater(float(out[..., 4000:5000].abs().max()), 0.5)

    def test_a_note_that_began_before_the_window_sounds_on(self):
        out = render_notes(tone(30000, 440), one_note(onset=-6000), 1, FRAMES)
        self.assertGreater(float(out[..., :100].abs().max()), 0.5)

    def test_no_block_is_spent_on_what_is_not_heard(self):
        note, _ = block_table(one_note(onset=-3 * BLOCK, held=BLOCK - 100), FRAMES)
        self.assertEqual(len(note), 0)
        note, _ = block_table(one_note(onset=FRAMES + 1), FRAMES)
        self.assertEqual(len(note), 0)


if __name__ == "__main__":
    unittest.main()
