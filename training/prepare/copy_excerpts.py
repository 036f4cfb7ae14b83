"""Cuts reels from Ogg Vorbis tracks without decoding them: packets are copied, so a thousand tracks take minutes. Levels are unchanged; mixers set them."""

import subprocess

import soundfile

from training.prepare.sources import list_clips
from training.prepare.splits import hash_fraction

RATE_HZ = 44100


def copy_excerpts(source, roots, split, spans_of):
    """Yields (write, seconds) per reel: `write(path)` makes the file. Skips tracks of another rate or with more than two channels."""
    clips = [clip for clip in list_clips(source, roots) if clip.split == split]
    for clip in sorted(clips, key=lambda clip: hash_fraction(str(clip.path.name))):
        info = soundfile.info(str(clip.path))
        if info.samplerate != RATE_HZ or info.channels > 2:
            continue
        for start, end in spans_of(info.frames, info.samplerate):
            yield writer(clip.path, start / RATE_HZ, (end - start) / RATE_HZ), (end - start) / RATE_HZ


def writer(track, start_s, seconds):
    command = ["ffmpeg", "-v", "error", "-y", "-ss", f"{start_s:.3f}", "-t", f"{seconds:.3f}", "-i", str(track), "-map", "0:a:0"]
    command += ["-c", "copy", "-map_metadata", "-1", "-fflags", "+bitexact", "-serial_offset", "1"]
    return lambda path: subprocess.run([*command, str(path)], check=True)
