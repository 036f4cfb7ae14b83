import json
import tempfile
import unittest
from pathlib import Path

import torch

from training.checkpoint import copy_fitting, make_network, save_weights
from training.evaluate_splitter import measure, score
from training.finer_stems import with_stems
from training.mix.arrange import STEMS
from training.networks.stft import BINS

TRAINING = Path(__file__).parent
SMALL = {"width": 16, "depth": 1, "heads": 2, "feed_forward": 32, "mask_hidden": 16}


class SplitterTest(unittest.TestCase):
    def test_the_recipe_makes_a_network_of_seven_stems_below_eight_million_parameters(self):
        network = make_network(json.loads((TRAINING / "recipes" / "other-splitter.json").read_text())["network"])
        self.assertEqual(network.config.stems, len(STEMS))
        self.assertLess(sum(p.numel() for p in network.parameters()), 8e6)

    def test_another_network_gives_what_fits(self):
        three, five = make_network({**SMALL, "stems": 3}), make_network({**SMALL, "stems": 5})
        with tempfile.TemporaryDirectory() as folder:
            save_weights(f"{folder}/three.pt", three.config, three.state_dict())
            taken = copy_fitting(f"{folder}/three.pt", five)
        self.assertGreater(taken, 1000)
        self.assertLess((five.time_layers[0].qkv.weight - three.time_layers[0].qkv.weight).abs().max(), 1e-3)

    def test_finer_stems_sum_to_those_they_were_made_of(self):
        network = make_network({**SMALL, "stems": 2})
        finer = with_stems(network, torch.tensor([[0.5, 0.0], [0.5, 0.0], [0.0, 1.0]]))
        spectrum = torch.randn(1, 4, 8, BINS)
        masks, finer_masks = (one.masks(torch.randn(1, 8, one.config.band_count, 16, generator=torch.Generator().manual_seed(1))) for one in (network, finer))
        masks, finer_masks = masks.unflatten(1, (2, 4)), finer_masks.unflatten(1, (3, 4))
        self.assertLess((finer_masks[:, :2].sum(1) - masks[:, 0]).abs().max(), 1e-5)
        self.assertLess((finer(spectrum).sum(1) - spectrum).abs().max(), 1e-3)

    def test_every_source_has_an_origin_and_a_licence_that_permits_use(self):
        for source in json.loads((TRAINING / "data" / "other-splitter.json").read_text())["sources"]:
            origin = source["origin"]
            self.assertTrue("commit" in origin or "sha256" in origin or source["kind"] in ("loops", "copied"), source["id"])
            self.assertNotRegex(source["licence"], r"\bNC\b|[Nn]on-?[Cc]ommercial")

    def test_only_instruments_of_training_are_looped(self):
        sources = json.loads((TRAINING / "data" / "other-splitter.json").read_text())["sources"]
        trained = {one["id"] for source in sources for one in source.get("instruments", []) if one["split"] == "train"}
        looped = [name for source in sources if source["kind"] == "loops" for name in source["of"]]
        self.assertGreater(len(looped), 0)
        self.assertEqual(set(looped) - trained, set())

    def test_whole_instruments_are_held_out_of_every_stem(self):
        splits = {stem: set() for stem in STEMS}
        for source in json.loads((TRAINING / "data" / "other-splitter.json").read_text())["sources"]:
            for instrument in source.get("instruments", []):
                splits.get(instrument["stem"], set()).add(instrument["split"])
            for preset in source.get("presets", []):
                splits.get(preset[2], set()).add(source["split"])
        for stem, found in splits.items():
            self.assertEqual(found, {"train", "held-out"}, stem)


class EvaluateTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        self.truth = torch.zeros(2, len(STEMS), 2, 44100)
        self.truth[:, :2] = torch.randn(2, 2, 2, 44100)

    def test_stems_that_are_there_gain_and_absent_ones_have_a_level(self):
        estimate = self.truth + 0.1 * self.truth.sum(1, keepdim=True)
        _, gained, level_db, is_there, has_company = measure(estimate, self.truth, self.truth.sum(1, keepdim=True))
        self.assertEqual(is_there.tolist(), [[True, True, False, False, False, False, False]] * 2)
        self.assertEqual(has_company.tolist(), is_there.tolist())
        self.assertGreater(float(gained[:, :2].min()), 15)
        self.assertAlmostEqual(float(level_db[0, 3]), -20, delta=0.01)

    def test_a_network_that_shares_alike_gains_nothing(self):
        result = score(lambda spectrum: spectrum[:, None].expand(-1, len(STEMS), -1, -1, -1) / len(STEMS), self.truth)
        self.assertEqual(set(result["si_sdr"]), {"guitar_electric", "guitar_acoustic", "guitar"})
        # Both guitars together are the whole mixture, which has nothing to gain.
        self.assertEqual(set(result["si_sdr_gain"]), {"guitar_electric", "guitar_acoustic"})
        self.assertAlmostEqual(result["si_sdr_gain"]["guitar_electric"], 0, delta=0.01)
        self.assertAlmostEqual(result["share_median"]["guitar_electric"], 1 / 7, delta=0.01)
        self.assertAlmostEqual(result["absent_level"]["wind"], -16.9, delta=0.02)

    def test_stems_of_what_another_network_left_are_scored_against_what_was_played(self):
        left = 0.5 * self.truth.sum(1) + 0.1 * torch.randn(2, 2, 44100)
        alike = lambda spectrum: spectrum[:, None].expand(-1, len(STEMS), -1, -1, -1) / len(STEMS)
        result = score(alike, self.truth, left)
        self.assertAlmostEqual(result["si_sdr_gain"]["guitar"], 0, delta=0.01)
        self.assertAlmostEqual(result["absent_level"]["wind"], -16.9, delta=0.02)


if __name__ == "__main__":
    unittest.main()
