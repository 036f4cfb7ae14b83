"""Weights on disk: {"config", "weights" (f16, averaged)}; or the exported ONNX file, which keeps every parameter under its own name."""

import json

import torch

from training.networks.band_split import BandSplit, BandSplitConfig
from training.networks.music_analyser import MusicAnalyser, MusicAnalyserConfig
from training.networks.music_detector import MusicDetector, MusicDetectorConfig
from training.networks.speaker_embedding import SpeakerEmbedding, SpeakerEmbeddingConfig
from training.networks.speaker_turns import SpeakerTurns, SpeakerTurnsConfig
from training.networks.voice_split import VoiceSplit, VoiceSplitConfig

NETWORKS = {
    "band-split": (BandSplit, BandSplitConfig),
    "music-analyser": (MusicAnalyser, MusicAnalyserConfig),
    "music-detector": (MusicDetector, MusicDetectorConfig),
    "voice-split": (VoiceSplit, VoiceSplitConfig),
    "speaker-embedding": (SpeakerEmbedding, SpeakerEmbeddingConfig),
    "speaker-turns": (SpeakerTurns, SpeakerTurnsConfig),
}


def save_weights(path, config, weights):
    torch.save({"config": config.to_dict(), "weights": {name: value.half().cpu() for name, value in weights.items()}}, path)


def read_onnx_weights(path):
    import numpy
    import onnx
    from onnx import numpy_helper

    model = onnx.load(path)
    config = {entry.key: entry.value for entry in model.metadata_props}.get("config")
    values = {tensor.name: numpy_helper.to_array(tensor).astype(numpy.float32) for tensor in model.graph.initializer}
    weights = {}
    for name, value in values.items():
        if name.startswith("parameter.") and not name.endswith(".scale"):
            value = value * values.get(f"{name}.scale", 1)
            weights[name[len("parameter.") :]] = torch.from_numpy(numpy.ascontiguousarray(value))
    return config, weights


def to_tuples(value):
    return tuple(to_tuples(entry) for entry in value) if isinstance(value, (list, tuple)) else value


def make_network(raw):
    """Makes a network of the kind and size given by a recipe or file; files from before there were kinds are band-split."""
    raw = json.loads(raw) if isinstance(raw, str) else dict(raw)
    network, config = NETWORKS[raw.get("kind", "band-split")]
    return network(config(**{name: to_tuples(value) for name, value in raw.items()}))


def load_network(path):
    if str(path).endswith(".onnx"):
        raw, weights = read_onnx_weights(path)
    else:
        saved = torch.load(path, map_location="cpu")
        raw, weights = saved["config"], saved["weights"]
    network = make_network(raw)
    network.load_state_dict({name: value.float() for name, value in weights.items()})
    return network


def copy_fitting(path, network):
    """Copies the parameters of another network that have the same name and shape; returns how many values."""
    given, own = load_network(path).state_dict(), network.state_dict()
    fitting = {name: value for name, value in given.items() if name in own and own[name].shape == value.shape}
    network.load_state_dict({**own, **fitting})
    return sum(value.numel() for value in fitting.values())
