"""One bad mixture must not end a training: a single gradient that is not a number makes every weight one."""

import torch


@torch.no_grad()
def zero_unless_finite(parameters, norm):
    """Sets all gradients to zero if their `norm` is not finite. Nothing waits for the device to say whether it is."""
    is_finite = torch.isfinite(norm)
    for parameter in parameters:
        if parameter.grad is not None:
            parameter.grad.copy_(torch.where(is_finite, parameter.grad, 0.0))
