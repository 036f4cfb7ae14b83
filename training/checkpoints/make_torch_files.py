"""Writes the files of packages/engine/checkpoints/support/torch with PyTorch 2.6: python make_torch_files.py FOLDER"""

import argparse
import collections
import json
import os
import sys
import types
from fractions import Fraction
from pathlib import Path

import numpy as np
import torch

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
generator = torch.Generator().manual_seed(7)


def save(name, value, **options):
    torch.save(value, folder / name, **options)


def random(*shape):
    return torch.randn(*shape, generator=generator)


matrix = random(4, 6)
weights = collections.OrderedDict(
    {
        "module.a.weight": matrix,
        "module.a.transposed": matrix.t(),
        "module.a.slice": matrix[1:3, 2:5],
        "module.expanded": torch.tensor([[2.5]]).expand(3, 4),
        "module.half": random(5).half(),
        "module.bf": random(5).bfloat16(),
        "module.double": random(3).double(),
        "module.count": torch.tensor(12345),
        "module.bool": torch.tensor([True, False]),
        "module.bytes": torch.tensor([1, 200], dtype=torch.uint8),
        "module.int8": torch.tensor([-3, 100], dtype=torch.int8),
        "module.empty": torch.zeros(0, 3),
    }
)
save("plain.pt", weights)
save("legacy.pth", weights, _use_new_zipfile_serialization=False)
save("protocol4.pt", weights, pickle_protocol=4)


def fill(module):
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.arange(parameter.numel()).reshape(parameter.shape).float())


linear = torch.nn.Linear(3, 2)
optimizer = torch.optim.AdamW(linear.parameters())
linear(torch.ones(1, 3)).sum().backward()
optimizer.step()
fill(linear)
save(
    "training.ckpt",
    {
        "epoch": 3,
        "model_state_dict": linear.state_dict(),
        "optimizer_state_dict": optimizer.state_dict(),
        "best_metric": np.float64(9.5),
        "all_metrics": {"sdr": [1.0, 2.0]},
        "args": argparse.Namespace(x=1),
    },
)
save(
    "lightning.ckpt",
    {
        "state_dict": {f"model.{name}": value for name, value in linear.state_dict().items()},
        "hyper_parameters": {"dim": 4, "names": ("a", "b")},
        "epoch": 1,
        "pytorch-lightning_version": "2.0",
    },
)
save("parameters.pt", linear.state_dict())
save("with_parameters.pt", dict(linear.named_parameters()))


class HTDemucs:
    """Stands for the class of Demucs, of which a package has the name alone."""


HTDemucs.__module__ = "demucs.htdemucs"
sys.modules["demucs"] = types.ModuleType("demucs")
sys.modules["demucs.htdemucs"] = types.ModuleType("demucs.htdemucs")
sys.modules["demucs.htdemucs"].HTDemucs = HTDemucs
save(
    "demucs.th",
    {
        "klass": HTDemucs,
        "args": (["drums", "bass"],),
        "kwargs": {"segment": Fraction(39, 5), "depth": 4, "sources": ["drums", "bass"]},
        "state": {name: value.half() for name, value in linear.state_dict().items()},
        "training_args": argparse.Namespace(lr=1),
    },
)
save("diffq.th", {"klass": HTDemucs, "args": (), "kwargs": {}, "state": {"__quantized": True, "meta": 1}})
save("lora.pt", {"a.lora_A": random(2, 3), "a.lora_B": random(3, 2)})


class Hostile:
    def __reduce__(self):
        return os.system, ("touch executed",)


save("evil.pt", {"state_dict": linear.state_dict(), "x": Hostile()})
save("module.pt", linear)
save("sparse.pt", {"a": torch.eye(3).to_sparse()})
save("single.pt", random(3))
torch.jit.script(linear).save(folder / "script.pt")

expected = {name: value.float().flatten().tolist() for name, value in weights.items()}
(folder / "expected.json").write_text(json.dumps(expected, separators=(",", ":")) + "\n")
