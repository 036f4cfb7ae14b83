"""The speech networks on synthetic signals: properties that hold whatever they have learnt."""

import json
import tarfile
import tempfile
import unittest
from pathlib import Path

import numpy
import soundfile
import torch

from training.checkpoint import load_network, make_network, save_weights
from training.losses.speakers import equal_error, margin_loss, turns_error, turns_loss
from training.losses.voices import improvement, voices_loss
from training.mix import held_out_voices
from training.mix.conversation import Conversation, active
from training.mix.shoebox import make_rooms
from training.mix.two_voices import TwoVoices, presence
from training.mix.voice_pool import VoicePool, VoicePools
from training.networks.voice_stft import istft, stft
from training.mix.music_presence import through_telephone
from training.prepare.pack_voices import deal_reels, plain_name
from training.prepare.sources import Clip, load_data_list
from training.prepare.splits import find_part, find_split
from training.prepare.unpack import unpack
from training.prepare.unpack_voices import is_held_out_nowhere_else, resample
from training.prepare.words import cut_word
from training.tasks.speakers import Speakers

SEPARATOR = {"kind": "voice-split", "stems": 3, "width": 16, "depth": 1, "heads": 2, "feed_forward": 16, "mask_hidden": 8}
EMBEDDING = {"kind": "speaker-embedding", "mels": 20, "width": 16, "dilations": [1], "size": 8, "classes": 4}
TURNS = {"kind": "speaker-turns", "mels": 20, "width": 16, "depth": 1, "heads": 2, "feed_forward": 16}
WEIGHTS = {"waveform": 1.0, "magnitude": 4.0, "residual": 0.1, "alone": 1.0}


def write_pool(folder, speakers=4, seconds=2, pack="pack-0", source="corpus"):
    dice = numpy.random.RandomState(0)
    (folder / pack).mkdir()
    reels = {}
    for key in ("voice.train", "voice.held-out", "effects.train"):
        sounds = [(dice.randn(seconds * 16000) * 3000).astype(numpy.int16) for _ in range(2 * speakers)]
        numpy.save(folder / pack / f"{key}.npy", numpy.concatenate(sounds))
        reels[key] = [{"source": source, "reel": f"speaker{at // 2}-{at % 2:04d}", "frames": len(sound)} for at, sound in enumerate(sounds)]
    (folder / pack / "reels.json").write_text(json.dumps(reels))
    (folder / pack / "ready").touch()


def speakers_drawn(task, pools):
    voices = list(pools["voice"].speakers)
    return {voices[label] for label in (task.draw(400)[1] // 3).tolist()}


class Networks(unittest.TestCase):
    def test_the_transform_comes_back(self):
        sound = torch.randn(2, 3200)
        self.assertLess(float((istft(stft(sound), 3200) - sound).abs().max()), 1e-5)

    def test_voices_and_residual_sum_to_the_input(self):
        spectrum = stft(torch.randn(2, 3200))
        voices = make_network(SEPARATOR)(spectrum)
        self.assertEqual(tuple(voices.shape), (2, 3, 2, 21, 321))
        self.assertLess(float((voices.sum(1) - spectrum).abs().max()), 1e-4)

    def test_the_level_of_the_input_changes_nothing_but_the_level(self):
        spectrum = stft(torch.randn(1, 3200))
        network = make_network(SEPARATOR)
        self.assertLess(float((network(spectrum * 0.01) * 100 - network(spectrum)).abs().max()), 1e-3)

    def test_speakers_left_out_are_never_drawn(self):
        """Half of those whom conversations are made of; all of a source that is only for training, also where its pack comes later."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_pool(folder, speakers=8)
            pools = VoicePools(folder, "cpu", [{"id": "corpus"}, {"id": "words", "train_only": True}])
            list(pools.load_new())
            recipe = {"network": {**EMBEDDING, "classes": 48}, "margin": 0.2, "segment_hops": [100, 100], "left_out": "development"}
            task = Speakers(recipe, pools)
            background = {voice for voice in pools["voice"].speakers if find_part("train", "-".join(voice)) == "background"}
            self.assertTrue(0 < len(background) < 8)
            self.assertEqual(speakers_drawn(task, pools), background)
            write_pool(folder, speakers=8, pack="pack-1", source="words")
            list(pools.load_new())
            self.assertEqual(speakers_drawn(task, pools), background | {("words", f"speaker{at}") for at in range(8)})

    def test_more_speakers_than_classes_are_refused(self):
        with tempfile.TemporaryDirectory() as name:
            write_pool(Path(name), speakers=2)
            pools = VoicePools(name, "cpu")
            list(pools.load_new())
            with self.assertRaisesRegex(ValueError, "2 speakers need 6 classes"):
                Speakers({"network": EMBEDDING}, pools)

    def test_embeddings_have_length_one_at_any_level_and_length(self):
        network = make_network(EMBEDDING)
        power = stft(torch.randn(2, 16000)).square().sum(1)
        found = network(power)
        self.assertLess(float((found.norm(dim=1) - 1).abs().max()), 1e-5)
        self.assertLess(float((network(power * 1e-4) - found).abs().max()), 1e-3)
        self.assertEqual(tuple(network(power[:, :40]).shape), (2, 8))

    def test_turns_have_a_step_for_two_frames(self):
        power = stft(torch.randn(1, 16000)).square().sum(1)
        self.assertEqual(tuple(make_network(TURNS).probability(power).shape), (1, 50, 3))

    def test_weights_come_back_from_a_file(self):
        network = make_network(SEPARATOR)
        with tempfile.TemporaryDirectory() as folder:
            save_weights(Path(folder) / "average.pt", network.config, network.state_dict())
            again = load_network(Path(folder) / "average.pt")
        self.assertEqual(again.config.to_dict(), network.config.to_dict())


class Losses(unittest.TestCase):
    def test_the_order_of_voices_does_not_matter(self):
        truth = torch.randn(2, 3, 3200)
        parts, swapped = stft(truth), truth[:, [1, 0, 2]]
        loss = lambda estimate: float(voices_loss(estimate, stft(estimate), truth, parts, WEIGHTS))
        self.assertAlmostEqual(loss(truth), loss(swapped), places=4)
        self.assertLess(loss(truth), loss(truth + 0.3 * torch.randn_like(truth)))

    def test_a_silent_voice_asks_for_silence(self):
        truth = torch.randn(1, 3, 3200)
        truth[:, 1:] = 0
        leak = truth.clone()
        leak[:, 1] = 0.1 * truth[:, 0]
        leak[:, 0] = 0.9 * truth[:, 0]
        loss = lambda estimate: float(voices_loss(estimate, stft(estimate), truth, stft(truth), WEIGHTS))
        self.assertLess(loss(truth) + 5, loss(leak))

    def test_the_mixture_itself_improves_nothing(self):
        truth = torch.randn(3, 2, 3200)
        mixture = truth.sum(1, keepdim=True).expand_as(truth)
        self.assertLess(float(improvement(mixture, truth).abs().max()), 1e-3)
        self.assertGreater(float(improvement(truth.flip(1), truth).min()), 40)

    def test_a_margin_makes_the_right_speaker_harder(self):
        classes = torch.nn.functional.normalize(torch.eye(4, 8) + 0.5, dim=1)
        labels = torch.tensor([0, 1])
        self.assertGreater(float(margin_loss(classes[:2], classes, labels, 0.4)), float(margin_loss(classes[:2], classes, labels, 0.0)))

    def test_equal_error_of_perfect_and_of_blind_embeddings(self):
        labels = torch.arange(4).repeat(3)
        self.assertEqual(equal_error(torch.eye(4)[labels], labels), 0.0)
        torch.manual_seed(0)
        blind = torch.nn.functional.normalize(torch.randn(12, 16), dim=1)
        self.assertGreater(equal_error(blind, labels), 0.2)

    def test_turns_are_compared_in_the_best_order(self):
        active = (torch.rand(2, 50, 3) < 0.4).float()
        logits = (active[..., [2, 0, 1]] - 0.5) * 20
        self.assertLess(float(turns_loss(logits, active)), 1e-3)
        self.assertEqual(turns_error(logits, active), 0.0)
        self.assertAlmostEqual(turns_error(torch.full_like(logits, -1.0), active), 1.0)

    def test_turns_may_have_more_places_than_voices(self):
        active = torch.tensor([[[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]])
        logits = torch.cat([torch.full((1, 3, 1), -9.0), (active * 2 - 1) * 9], 2)
        self.assertLess(float(turns_loss(logits, active)), 1e-3)
        self.assertEqual(turns_error(logits, active), 0.0)
        self.assertAlmostEqual(turns_error(logits.abs(), active), 5 / 4)


class Mixtures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.manual_seed(1)
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        write_pool(cls.folder)
        cls.pools = VoicePools(cls.folder, "cpu", [{"id": "corpus"}])
        list(cls.pools.load_new())

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_reels_know_their_speakers(self):
        self.assertEqual(self.pools.describe()["voice"]["speakers"], 4)
        drawn = self.pools["voice"].draw_speakers(50, 2)
        self.assertTrue(bool((drawn[:, 0] != drawn[:, 1]).all()))

    def test_a_window_longer_than_its_reel_stays_with_its_speaker(self):
        pool = self.pools["voice"]
        own = set(pool.samples[pool.start[0] : pool.start[0] + 2 * 32000].tolist())
        read = (pool.draw(torch.tensor([0]), 40000, torch.ones(1)) * 32768).round().long()[0].tolist()
        self.assertTrue(set(read) <= own)

    def test_crops_of_a_speaker_come_from_all_recordings_alike(self):
        """However long each is: whoever has two recordings is known by both."""
        pool = VoicePool("cpu")
        lengths = [16000, 64000, 32000]
        pool.add(numpy.repeat(numpy.array([1000, 2000, 3000], numpy.int16), lengths), lengths, ["one", "one", "two"], [1.0, 1.0, 1.0])
        torch.manual_seed(0)
        crops = (pool.draw(torch.zeros(600, dtype=torch.int64), 800, torch.ones(600)) * 32768).round()
        self.assertEqual(set(crops.flatten().tolist()), {1000.0, 2000.0})
        self.assertAlmostEqual(float((crops[:, 0] == 1000).float().mean()), 0.5, delta=0.08)

    def test_mixtures_are_full_partial_or_single(self):
        envelopes = presence(400, 1000, "cpu")
        both = (envelopes.amin(1) > 0.5).float().mean(1)
        self.assertAlmostEqual(float((both > 0.99).float().mean()), 0.62, delta=0.08)
        self.assertAlmostEqual(float((envelopes[:, 1].amax(1) == 0).float().mean()), 0.10, delta=0.05)

    def test_mixtures_are_whole_and_finite_with_rooms(self):
        numpy.save(self.folder / "rooms.npy", make_rooms(1, 1, "cpu").half().numpy())
        stems = TwoVoices(self.pools, 8000, self.folder / "rooms.npy").draw(6)
        self.assertEqual(tuple(stems.shape), (6, 3, 8000))
        self.assertTrue(bool(torch.isfinite(stems).all()))

    def test_labels_follow_the_voices(self):
        voice = torch.zeros(1, 1, 16000)
        voice[..., 8000:] = torch.randn(8000)
        steps = active(voice)[0, 0]
        self.assertEqual((float(steps[:20].max()), float(steps[-20:].min())), (0.0, 1.0))
        sound, labels = Conversation(self.pools, 16000).draw(3)
        self.assertEqual((tuple(sound.shape), tuple(labels.shape)), ((3, 16000), (3, 50, 3)))

    def test_the_held_out_set_is_the_same_every_time(self):
        speakers = held_out_voices.load_speakers(self.folder, {})
        make = lambda: held_out_voices.make_mixture(speakers, "dry", numpy.random.RandomState(3))[0]
        self.assertTrue(numpy.array_equal(make(), make()))

    def test_a_room_begins_with_the_direct_sound(self):
        size, places = numpy.array([5.0, 4.0, 3.0]), numpy.array([[2.0, 2.0, 1.5], [3.0, 2.0, 1.5]])
        response = held_out_voices.respond(size, numpy.array([0.5, 0.5, 0.5]), *places, 0.2)
        self.assertAlmostEqual(int(numpy.abs(response).argmax()), 16000 / 343, delta=1.5)


class Elsewhere(unittest.TestCase):
    """The same speech for the music detector."""

    def test_a_tone_keeps_its_pitch_and_level_at_the_other_rate(self):
        tone = lambda rate_hz: numpy.sin(2 * numpy.pi * 1000 * numpy.arange(rate_hz) / rate_hz) * 10000
        turned = resample(tone(16000).astype(numpy.int16), 160, 441)
        self.assertEqual(turned.shape, (44100,))
        self.assertLess(float(numpy.abs(turned - tone(44100)).max()), 20)

    def test_nobody_of_the_other_held_out_set_is_heard(self):
        """Two lists split the speakers of AudioMNIST and of the words in four languages differently."""
        lists = Path(__file__).parent / "data"
        theirs = {source["id"]: source for source in load_data_list(lists / "dialogue-music-effects.json")}
        for own, other in (("audiomnist-voices", "audiomnist"), ("voices-cisco-words-german", "cisco-words-german"), ("voices-cisco-clean", "cisco-clean")):
            speakers = [f"{number:02d}" for number in range(1, 61)]
            heard_too = [speaker for speaker in speakers if is_held_out_nowhere_else(f"voice/train/{own}/{speaker}-0000.ogg")]
            self.assertEqual(heard_too, [speaker for speaker in speakers if find_split(theirs[other], speaker) == "train"])
        noises = [str(number) for number in range(60)]
        heard_too = [noise for noise in noises if is_held_out_nowhere_else(f"effects/train/voices-noises/{noise}-0000.ogg")]
        self.assertEqual(heard_too, [noise for noise in noises if find_split(theirs["cisco-noises"], noise) == "train"])
        self.assertTrue(is_held_out_nowhere_else("voice/train/iban/ibf_001-0000.ogg"))
        self.assertTrue(is_held_out_nowhere_else("voice/held-out/iban/ibf_004-0000.ogg"))

    def test_what_is_not_wanted_is_not_decoded(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            with tarfile.open(folder / "pack-0.tar", "w") as pack:
                for reel in ("voice/train/iban/a-0000.ogg", "voice/held-out/iban/b-0000.ogg"):
                    (folder / "reel.ogg").write_bytes(b"not decoded")
                    pack.add(folder / "reel.ogg", reel)
            target = unpack(folder / "pack-0.tar", folder, is_wanted=lambda reel: False)
            self.assertEqual(json.loads((target / "reels.json").read_text()), {})

    def test_a_telephone_takes_the_same_from_all_stems(self):
        torch.manual_seed(0)
        stems = torch.randn(2, 3, 44100)
        called = through_telephone(stems, 1.0)
        power = torch.fft.rfft(called).abs().square()
        self.assertLess(float(power[..., 5000:].sum() / power.sum()), 1e-3)
        self.assertTrue(torch.equal(through_telephone(stems, 0.0), stems))


class Words(unittest.TestCase):
    """Single words, a second each."""

    @classmethod
    def setUpClass(cls):
        dice = numpy.random.RandomState(0)
        cls.room = (dice.randn(16000, 1) * 0.001).astype(numpy.float32)
        cls.clip = cls.room.copy()
        cls.clip[6400:11200] += (dice.randn(4800, 1) * 0.2).astype(numpy.float32)

    def test_a_word_is_cut_out_of_its_room(self):
        self.assertAlmostEqual(len(cut_word(self.clip, 16000)) / 16000, 0.3 + 2 * 0.05, delta=0.02)
        for nothing in (self.room, numpy.zeros((16000, 1), numpy.float32), self.clip[:100]):
            self.assertEqual(len(cut_word(nothing, 16000)), 0)

    def test_words_are_dealt_to_reels_that_share_none(self):
        source = {"id": "words", "reels_a_group": 2, "least_clips": 4, "gap_s": [0.1, 0.1], "seconds_a_group": 100}
        with tempfile.TemporaryDirectory() as name:
            paths = [Path(name) / f"{at}.wav" for at in range(5)]
            for path in paths:
                soundfile.write(path, self.clip, 16000)
            clips = [Clip("words", "a", "train", path) for path in paths]
            reels = list(deal_reels(source, clips, "a"))
            self.assertEqual([(rate_hz, count) for rate_hz, _, count in reels], [(16000, 3), (16000, 2)])
            self.assertAlmostEqual(len(reels[1][1]) / 16000, 2 * (0.4 + 0.1), delta=0.05)
            self.assertEqual(list(deal_reels(source, clips[:3], "a")), [])


class Names(unittest.TestCase):
    def test_names_of_speakers_are_plain_and_apart(self):
        self.assertEqual(plain_name("ibf_001"), "ibf_001")
        self.assertNotEqual(plain_name("a/one two.wav"), plain_name("b/one two.wav"))
        self.assertRegex(plain_name("a/one two.wav"), r"^\w+$")


if __name__ == "__main__":
    unittest.main()
