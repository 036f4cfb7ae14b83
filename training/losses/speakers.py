"""Losses and scores of the speaker networks."""

import itertools
import math

import torch
from torch.nn import functional


def margin_loss(embeddings, classes, labels, margin=0.2, scale=30.0):
    """Additive angular margin softmax (Deng et al.): the right speaker's angle must be smaller by the margin."""
    cosine = embeddings @ functional.normalize(classes, dim=1).T
    right = cosine.gather(1, labels[:, None])
    with_margin = right * math.cos(margin) - (1 - right.square()).clamp(min=1e-6).sqrt() * math.sin(margin)
    with_margin = torch.where(right > math.cos(math.pi - margin), with_margin, right - margin * math.sin(margin))
    return functional.cross_entropy(scale * cosine.scatter(1, labels[:, None], with_margin), labels)


def equal_error(embeddings, labels):
    """Equal error rate: where false acceptances and false rejections are equally frequent."""
    upper = torch.triu(torch.ones(len(labels), len(labels), dtype=torch.bool, device=labels.device), 1)
    score = (embeddings @ embeddings.T)[upper]
    is_same = (labels[:, None] == labels[None])[upper]
    is_same = is_same[score.argsort(descending=True)]
    missed = 1 - is_same.cumsum(0) / is_same.sum()
    wrong = (~is_same).cumsum(0) / (~is_same).sum()
    return float(((missed + wrong) / 2)[(missed - wrong).abs().argmin()])


def orders(count):
    return list(itertools.permutations(range(count)))


def with_places(active, count):
    """`active` [n, steps, speakers] with silent local speakers added up to `count`."""
    return functional.pad(active, (0, count - active.shape[-1]))


def turns_loss(logits, active):
    """Permutation-invariant binary cross-entropy; logits [n, steps, local speakers], active [n, steps, speakers]."""
    active = with_places(active, logits.shape[-1])
    losses = [functional.binary_cross_entropy_with_logits(logits[..., order], active, reduction="none").mean((1, 2)) for order in orders(active.shape[-1])]
    return torch.stack(losses).amin(0).mean()


def turns_error(logits, active):
    """Missed, false and confused speaking time as a share of the true one, with the best permutation per window."""
    said, active = (logits > 0).float(), with_places(active, logits.shape[-1])
    results = []
    for order in orders(active.shape[-1]):
        given = said[..., order]
        both = torch.minimum(given.sum(-1), active.sum(-1))
        right = (given * active).sum(-1)
        error = torch.maximum(given.sum(-1), active.sum(-1)) - both + both - right
        results.append(error.sum(1))
    return float(torch.stack(results).amin(0).sum() / active.sum().clamp(min=1))
