import torch


def step_if_finite(optimizers, norm):
    """Steps all optimizers unless the gradients' `norm` is not finite: one such step makes every weight NaN. Waits for the device, but a step takes 100 ms."""
    is_finite = bool(torch.isfinite(norm))
    for optimizer in optimizers:
        if is_finite:
            optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return is_finite
