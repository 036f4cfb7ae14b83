import io
import unittest

import mido
import numpy

from training.prepare.looped_notes import fit_loop, loop, thin_out
from training.prepare.notes import RATE_HZ, read_loudness, read_pitch, resample, trim
from training.prepare.pack_notes import deal
from training.prepare.scores import DRUMS, read_parts


class NamesTest(unittest.TestCase):
    def test_the_pitch_is_read_from_the_name(self):
        names = {"MOHorn_sus_A#1_v1_1.wav": 34, "twang_bb3_f_rr1.wav": 58, "A4.ogg": 69, "GPiano_sus_A#-1_v2_rr1.ogg": 10, "Ab4_mp.wav": 68, "FF C4.flac": 60}
        for name, pitch in names.items():
            self.assertEqual(read_pitch(name, None), pitch, name)
        self.assertEqual(read_pitch("LEVEL1 CLOSE 102.flac", r" (\d+)\.flac$"), 102)
        self.assertIsNone(read_pitch("noise_breath.wav", None))

    def test_louder_names_rank_higher(self):
        for soft, loud in (("a2_p_rr1", "a2_f_rr1"), ("A0v2", "A0v14"), ("x_C3_v1_rr1", "x_C3_v3_rr1"), ("d3_vl1_rr1", "d3_vl4_rr1"), ("PP C4".lower(), "FF C4".lower())):
            self.assertLess(read_loudness(soft), read_loudness(loud), soft)


class LoopsTest(unittest.TestCase):
    def test_a_tone_goes_on_through_the_joints_of_its_loop(self):
        tone = numpy.sin(2 * numpy.pi * 221 * numpy.arange(2 * RATE_HZ) / RATE_HZ)[:, None].astype(numpy.float32)
        start = RATE_HZ // 3
        length = fit_loop(tone[:, 0], start, RATE_HZ // 10)
        self.assertAlmostEqual(length * 221 / RATE_HZ % 1, 0, delta=0.01)
        looped = loop(tone, start, length, 3 * RATE_HZ)
        self.assertEqual(len(looped), 3 * RATE_HZ)
        steps = numpy.abs(numpy.diff(looped[:, 0]))
        self.assertLess(steps.max(), 1.05 * numpy.abs(numpy.diff(tone[:, 0])).max())

    def test_few_notes_of_middle_loudness_are_left(self):
        notes = [{"pitch": pitch, "loudness": loudness} for pitch in range(40, 61) for loudness in (0, 0.5, 1)]
        self.assertEqual([(note["pitch"], note["loudness"]) for note in thin_out(notes)], [(40, 0.5), (45, 0.5), (50, 0.5), (55, 0.5), (60, 0.5)])


class SamplesTest(unittest.TestCase):
    def test_resampling_keeps_the_tone(self):
        tone = lambda rate: numpy.sin(2 * numpy.pi * 1000 * numpy.arange(rate) / rate)[:, None].astype(numpy.float32)
        made = resample(tone(48000), 48000)
        self.assertEqual(len(made), RATE_HZ)
        self.assertLess(numpy.abs(made - tone(RATE_HZ))[1000:-1000].max(), 1e-3)

    def test_silence_before_and_after_a_note_is_cut(self):
        sound = numpy.zeros((3 * RATE_HZ, 1), numpy.float32)
        sound[RATE_HZ : 2 * RATE_HZ] = 0.1
        piece = trim(sound, 5.0)
        self.assertAlmostEqual(len(piece) / RATE_HZ, 1, delta=0.02)
        self.assertAlmostEqual(float(numpy.abs(piece).max()), 0.7, delta=0.01)
        self.assertIsNone(trim(numpy.zeros((RATE_HZ, 1), numpy.float32), 5.0))


class PacksTest(unittest.TestCase):
    def test_held_out_strips_come_first_and_no_pack_is_too_large(self):
        entries = [{"instrument": f"i{n}", "split": "held-out" if n % 5 == 0 else "train", "bytes": 300_000} for n in range(20)]
        dealt = deal(entries, 1_000_000)
        self.assertEqual([entry["split"] for _, entry in dealt[:4]], ["held-out"] * 4)
        for pack in {number for number, _ in dealt}:
            self.assertLessEqual(sum(entry["bytes"] for number, entry in dealt if number == pack), 1_000_000)


class ScoresTest(unittest.TestCase):
    def test_notes_have_seconds_at_the_tempo_of_their_time(self):
        tempo = mido.MidiTrack([mido.MetaMessage("set_tempo", tempo=1_000_000, time=480), mido.MetaMessage("end_of_track", time=0)])
        notes = mido.MidiTrack([
            mido.Message("program_change", program=24, time=0),
            mido.Message("note_on", note=60, velocity=90, time=480), mido.Message("note_off", note=60, time=480),
            mido.Message("note_on", channel=9, note=36, velocity=90, time=0), mido.Message("note_on", channel=9, note=36, velocity=0, time=240),
        ])  # fmt: skip
        file = io.BytesIO()
        mido.MidiFile(ticks_per_beat=480, tracks=[tempo, notes]).save(file=file)
        parts = read_parts(mido.MidiFile(file=io.BytesIO(file.getvalue())))
        self.assertEqual(parts[(1, 0, 24)], [(0.5, 1.0, 60, 90)])
        self.assertEqual(parts[(1, 9, DRUMS)], [(1.5, 0.5, 36, 90)])


if __name__ == "__main__":
    unittest.main()
