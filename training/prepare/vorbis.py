"""Decodes Ogg Vorbis through libvorbisfile (Debian: libvorbisfile3), which any machine can load from a folder.

A GPU machine without an installed decoder needs only libogg.so.0, libvorbis.so.0 and libvorbisfile.so.3 in one folder:
name it in VORBIS_LIBRARY_FOLDER.
"""

import ctypes
import os
from pathlib import Path

import numpy

VORBIS_FILE_BYTES = 4096  # sizeof(OggVorbis_File) is 944 on 64-bit Linux


class _Callbacks(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("read", "seek", "close", "tell")]


class _Info(ctypes.Structure):
    _fields_ = [("version", ctypes.c_int), ("channels", ctypes.c_int), ("rate", ctypes.c_long)]


_library = None


def load_library():
    global _library
    if _library is None:
        folder = os.environ.get("VORBIS_LIBRARY_FOLDER")
        at = (lambda name: str(Path(folder) / name)) if folder else (lambda name: name)
        for name in ("libogg.so.0", "libvorbis.so.0"):
            ctypes.CDLL(at(name), mode=ctypes.RTLD_GLOBAL)
        _library = ctypes.CDLL(at("libvorbisfile.so.3"))
        _library.ov_info.restype = ctypes.POINTER(_Info)
        _library.ov_pcm_total.restype = ctypes.c_int64
        _library.ov_read.restype = ctypes.c_long
    return _library


def decode_vorbis(path):
    """int16 [frames, channels] and the rate in Hz."""
    library = load_library()
    handle = ctypes.create_string_buffer(VORBIS_FILE_BYTES)
    if library.ov_fopen(str(path).encode(), handle) != 0:
        raise ValueError(f"not Ogg Vorbis: {path}")
    info = library.ov_info(handle, -1).contents
    channels, rate_hz = info.channels, info.rate
    total = library.ov_pcm_total(handle, -1) * channels * 2
    samples = numpy.empty(total, numpy.uint8)
    base, done, section = samples.ctypes.data, 0, ctypes.c_int()
    while done < total:
        count = library.ov_read(handle, ctypes.c_void_p(base + done), min(total - done, 65536), 0, 2, 1, ctypes.byref(section))
        if count <= 0:
            break
        done += count
    library.ov_clear(handle)
    return samples[:done].view(numpy.int16).reshape(-1, channels), rate_hz
