"""Muon for the matrices inside the network (momentum, then the nearest orthogonal matrix), AdamW for everything else.

Updates are scaled to the size AdamW's would have (0.2·√(longer side), Liu et al. 2025), so both share one learning rate scale.
Matrices of one shape are orthogonalized together: 72 separate ones cost more in kernel launches than in arithmetic.
"""

import math
from collections import defaultdict

import torch


def orthogonalize(matrices, steps=5):
    """Newton-Schulz, quintic coefficients of Jordan et al.; [k, rows, columns] with rows ≤ columns."""
    a, b, c = 3.4445, -4.7750, 2.0315
    x = matrices.bfloat16()
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(steps):
        gram = x @ x.transpose(1, 2)
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.float()


def to_wide_stack(name, tensor):
    """A parameter as [k, rows, columns] with rows ≤ columns: q, k and v separate, a band group's matrices separate."""
    if name.endswith("qkv.weight"):
        tensor = tensor.reshape(3, -1, tensor.shape[-1])
    elif tensor.dim() == 2:
        tensor = tensor[None]
    return tensor.transpose(1, 2) if tensor.shape[1] > tensor.shape[2] else tensor


def is_hidden_matrix(name):
    return name.endswith(("qkv.weight", "out.weight", "up.weight", "down.weight", "hidden_weight"))


class Muon(torch.optim.Optimizer):
    def __init__(self, named_parameters, lr, momentum=0.95, weight_decay=0.01):
        self.names = {id(parameter): name for name, parameter in named_parameters}
        parameters = [parameter for _, parameter in named_parameters]
        super().__init__(parameters, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self):
        group = self.param_groups[0]
        by_shape = defaultdict(list)
        for parameter in group["params"]:
            momentum = self.state[parameter].setdefault("momentum", torch.zeros_like(parameter))
            momentum.lerp_(parameter.grad, 1 - group["momentum"])
            direction = parameter.grad.lerp(momentum, group["momentum"])
            stack = to_wide_stack(self.names[id(parameter)], direction)
            by_shape[stack.shape[1:]].append((parameter, stack))
        for (rows, columns), items in by_shape.items():
            updates = orthogonalize(torch.cat([stack for _, stack in items]))
            for (parameter, stack), update in zip(items, updates.split([len(stack) for _, stack in items])):
                is_turned = to_wide_stack(self.names[id(parameter)], parameter).shape != self._plain(parameter).shape
                update = update.transpose(1, 2) if is_turned else update
                parameter.mul_(1 - group["lr"] * group["weight_decay"])
                parameter.add_(update.reshape(parameter.shape), alpha=-group["lr"] * 0.2 * math.sqrt(columns))

    def _plain(self, parameter):
        if self.names[id(parameter)].endswith("qkv.weight"):
            return parameter.reshape(3, -1, parameter.shape[-1])
        return parameter[None] if parameter.dim() == 2 else parameter


def make_optimizers(network, lr, muon_lr, weight_decay=0.01):
    """`muon_lr` 0 uses AdamW for everything."""
    named = list(network.named_parameters())
    hidden = [(name, parameter) for name, parameter in named if muon_lr and is_hidden_matrix(name)]
    rest = [parameter for name, parameter in named if not (muon_lr and is_hidden_matrix(name))]
    fused = {"fused": True} if rest[0].is_cuda else {}
    adam = torch.optim.AdamW(rest, lr=lr, betas=(0.9, 0.98), weight_decay=weight_decay, **fused)
    return [Muon(hidden, muon_lr, weight_decay=weight_decay), adam] if hidden else [adam]
