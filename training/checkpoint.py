"""Weights on disk. A checkpoint is {"config", "weights" (f16, averaged)} and, to go on exactly, {"state"} beside it."""

import torch

from training.networks.band_split import BandSplit, BandSplitConfig


def save_weights(path, config, weights):
    torch.save({"config": config.to_dict(), "weights": {name: value.half().cpu() for name, value in weights.items()}}, path)


def read_onnx_weights(path):
    """The exported file keeps every parameter under its own name, so it is a place to train on from."""
    import numpy
    import onnx
    from onnx import numpy_helper

    model = onnx.load(path)
    config = {entry.key: entry.value for entry in model.metadata_props}.get("config")
    weights = {}
    for tensor in model.graph.initializer:
        if tensor.name.startswith("parameter."):
            value = numpy_helper.to_array(tensor).astype(numpy.float32)
            weights[tensor.name[len("parameter.") :]] = torch.from_numpy(value.copy())
    return config, weights


def parse_config(raw):
    import json

    raw = json.loads(raw) if isinstance(raw, str) else dict(raw)
    raw["bands"] = tuple(tuple(pair) for pair in raw["bands"])
    return BandSplitConfig(**raw)


def load_network(path):
    if str(path).endswith(".onnx"):
        raw, weights = read_onnx_weights(path)
    else:
        saved = torch.load(path, map_location="cpu")
        raw, weights = saved["config"], saved["weights"]
    network = BandSplit(parse_config(raw))
    network.load_state_dict({name: value.float() for name, value in weights.items()})
    return network
