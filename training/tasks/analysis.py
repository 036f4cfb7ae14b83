"""Training of the music analyser: rendered songs and their beats, metre, chords and keys."""

import numpy
import torch
from torch.nn import functional

from training.mix.example_source import AnalysisPools, ExampleSource
from training.networks.music_analyser import KEYS, METRES, QUALITIES, ROOTS

CHORDS = ROOTS * 2 - 1
MAJOR_LIKE = torch.tensor([1, 0, 1, 1, 0, 0, 1, 1, 1])
"""Which of the qualities count as major among 24 chords and none; suspended ones are neither and are not scored."""
SUSPENDED = 7
BEAT_WEIGHT, NEIGHBOUR = 8.0, 0.5
WEIGHTS = {"beat": 1.0, "downbeat": 1.0, "metre": 0.05, "chord": 0.25, "quality": 0.1, "bass": 0.1, "key": 0.08}
MASKS = 2
TOLERANCE = 3


def split_chords(logits):
    return logits.split((CHORDS, QUALITIES, ROOTS, KEYS), -1)


def chord_classes(chord):
    """25 classes of [..., 3] labels; −1 where unknown."""
    root, quality = chord[..., 0].long(), chord[..., 1].long()
    is_major = MAJOR_LIKE.to(chord.device)[quality.clamp(0)]
    label = torch.where(root == 12, 24, root + 12 * (1 - is_major))
    return torch.where((root < 0) | (quality >= SUSPENDED), -1, label)


def masked_bands(x, widest):
    """Sets ranges of bands to zero."""
    bands = torch.arange(x.shape[-1], device=x.device)
    for _ in range(MASKS):
        start, width = (torch.rand(len(x), 1, 1, device=x.device) * limit for limit in (x.shape[-1], widest))
        x = x * ~((bands >= start) & (bands < start + width))
    return x


def pulse_loss(logits, hits, is_known):
    """Cross entropy with beats weighted up; frames beside a beat count as half of one."""
    near = functional.max_pool1d(hits[:, None], 3, 1, 1)[:, 0]
    target = torch.maximum(hits, NEIGHBOUR * near)
    weight = is_known * (1 + (BEAT_WEIGHT - 1) * hits + (BEAT_WEIGHT / 4) * (near - hits))
    return (functional.binary_cross_entropy_with_logits(logits, target, reduction="none") * weight).sum() / is_known.sum().clamp(min=1)


def known_entropy(logits, labels):
    labels = labels.flatten().long()
    total = functional.cross_entropy(logits.flatten(0, -2), labels, ignore_index=-1, label_smoothing=0.02, reduction="sum")
    return total / (labels >= 0).sum().clamp(min=1)


def losses_of(estimate, truth):
    beats, harmony = estimate
    chords, qualities, basses, keys = split_chords(harmony)
    state = truth["beat"]
    is_known = (state >= 0).float()
    metre = truth["metre"][:, None].expand(-1, beats.shape[1] // 25)
    return {
        "beat": pulse_loss(beats[..., 0], (state >= 1).float(), is_known),
        "downbeat": pulse_loss(beats[..., 1], (state == 2).float(), is_known),
        "metre": known_entropy(beats[:, 12::25, 2 : 2 + METRES], metre),
        "chord": known_entropy(chords, chord_classes(truth["chord"])),
        "quality": known_entropy(qualities, truth["chord"][..., 1]),
        "bass": known_entropy(basses, truth["chord"][..., 2]),
        "key": known_entropy(keys, truth["key"]),
    }


def pick_peaks(scores, threshold=0.5, reach=4):
    """Frames that are the largest within `reach` and above the threshold [n, frames]."""
    top = functional.max_pool1d(scores[:, None], 2 * reach + 1, 1, reach)[:, 0]
    return (scores == top) & (scores > threshold)


def f_measure(found, true, is_known):
    """F at ±70 ms over a set, by counts."""
    wide = lambda x: functional.max_pool1d(x.float()[:, None], 2 * TOLERANCE + 1, 1, TOLERANCE)[:, 0] > 0
    found, true = found & is_known, true & is_known
    right, hit = (found & wide(true)).sum(), (true & wide(found)).sum()
    precision, recall = right / found.sum().clamp(min=1), hit / true.sum().clamp(min=1)
    return float(2 * precision * recall / (precision + recall).clamp(min=1e-6))


def accuracy(logits, labels):
    known = labels >= 0
    return float((logits.argmax(-1)[known] == labels[known]).float().mean())


@torch.no_grad()
def score_analysis(network, held_out, batch=16):
    features, truth = held_out
    outputs = [network((features[0][at : at + batch], features[1][at : at + batch])) for at in range(0, len(features[0]), batch)]
    beats, harmony = (torch.cat([output[number] for output in outputs]) for number in range(2))
    chords, qualities, basses, keys = split_chords(harmony)
    scores, state = torch.sigmoid(beats[..., :2]), truth["beat"]
    known, has_beat = state >= 0, (truth["metre"] != 0)[:, None]
    metre = beats[..., 2:].mean(1)
    result = {
        "beat_f": f_measure(pick_peaks(scores[..., 0]), state >= 1, known & has_beat), "downbeat_f": f_measure(pick_peaks(scores[..., 1]), state == 2, known & has_beat),
        "metre": accuracy(metre, truth["metre"].long()), "chord": accuracy(chords, chord_classes(truth["chord"])),
        "quality": accuracy(qualities, truth["chord"][..., 1]), "bass": accuracy(basses, truth["chord"][..., 2]), "key": accuracy(keys, truth["key"]),
    }  # fmt: skip
    result = {name: round(value, 4) for name, value in result.items()}
    return {**result, "losses": {name: round(float(value), 4) for name, value in losses_of((beats, harmony), truth).items()}}


def load_examples(path, device):
    table = numpy.load(path)
    tensor = lambda name: torch.from_numpy(table[name]).to(device)
    truth = {name.split(".", 1)[1]: tensor(name) for name in table.files if name.startswith("target.")}
    return (tensor("beats").float(), tensor("chords").float()), truth


class Analysis:
    POOLS = AnalysisPools

    def __init__(self, recipe, pools):
        self.source = ExampleSource(pools, **recipe.get("mixer_options", {}))

    def draw(self, batch):
        (beats, chords), truth = self.source.draw(batch)
        return (masked_bands(beats, 12), masked_bands(chords, 24)), truth

    def loss(self, estimate, truth):
        return sum(WEIGHTS[name] * value for name, value in losses_of(estimate, truth).items())

    def load_held_out(self, path, device):
        return load_examples(path, device)

    def score(self, network, held_out):
        return {"examples": self.source.made, **score_analysis(network, held_out)}
