"""Uploads."""

from __future__ import annotations

import os
import uuid
from pathlib import Path
from typing import IO, Callable, Iterator, Optional, Union

from .transport import Body

#: A path, bytes, or a file that is open for reading bytes.
UploadInput = Union[str, "os.PathLike[str]", bytes, IO[bytes]]
#: Called with the bytes transferred so far and the total, if known.
OnProgress = Callable[[int, Optional[int]], None]

_CHUNK_BYTES = 256 * 1024


def _find_name(source: UploadInput) -> str:
    own = source if isinstance(source, (str, os.PathLike)) else getattr(source, "name", None)
    return Path(own).name if isinstance(own, (str, os.PathLike)) else "upload"


def _find_size(source: UploadInput) -> Optional[int]:
    if isinstance(source, (str, os.PathLike)):
        return os.stat(source).st_size
    return len(source) if isinstance(source, bytes) else None


def _read_chunks(source: UploadInput) -> Iterator[bytes]:
    if isinstance(source, bytes):
        yield source
    elif isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            yield from iter(lambda: file.read(_CHUNK_BYTES), b"")
    else:
        yield from iter(lambda: source.read(_CHUNK_BYTES), b"")


def make_multipart(source: UploadInput, *, name: Optional[str], on_progress: Optional[OnProgress]) -> Body:
    """A multipart body with one file, streamed in constant memory."""
    size = _find_size(source)
    boundary = f"stemwright{uuid.uuid4().hex}"
    # Escaped as browsers do.
    label = (name or _find_name(source)).replace("\n", "%0A").replace("\r", "%0D").replace('"', "%22")
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{label}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    ).encode()
    tail = f"\r\n--{boundary}--\r\n".encode()

    def make() -> Iterator[bytes]:
        sent = 0
        yield head
        for chunk in _read_chunks(source):
            yield chunk
            sent += len(chunk)
            if on_progress:
                on_progress(sent, size)
        yield tail

    headers = {"content-type": f"multipart/form-data; boundary={boundary}"}
    # Without a length urllib uses chunked encoding.
    if size is not None:
        headers["content-length"] = str(len(head) + size + len(tail))
    return Body(make, headers, is_once=size is None)
