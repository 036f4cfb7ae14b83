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


def find_name(source: UploadInput) -> str:
    own = source if isinstance(source, (str, os.PathLike)) else getattr(source, "name", None)
    return Path(own).name if isinstance(own, (str, os.PathLike)) else "upload"


def find_size(source: UploadInput) -> Optional[int]:
    if isinstance(source, (str, os.PathLike)):
        return os.stat(source).st_size
    return len(source) if isinstance(source, bytes) else None


def read_chunks(source: UploadInput, start: int = 0, end: Optional[int] = None) -> Iterator[bytes]:
    """The content, or a part of a path or bytes; ``end`` is exclusive."""
    if isinstance(source, bytes):
        yield source[start:end]
    elif isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            file.seek(start)
            left = float("inf") if end is None else end - start
            while left > 0:
                chunk = file.read(int(min(_CHUNK_BYTES, left)))
                if not chunk:
                    return
                left -= len(chunk)
                yield chunk
    else:
        yield from iter(lambda: source.read(_CHUNK_BYTES), b"")


def make_multipart(source: UploadInput, *, name: Optional[str], on_progress: Optional[OnProgress]) -> Body:
    """A multipart body with one file, streamed in constant memory."""
    size = find_size(source)
    boundary = f"stemwright{uuid.uuid4().hex}"
    # Escaped as browsers do.
    label = (name or find_name(source)).replace("\n", "%0A").replace("\r", "%0D").replace('"', "%22")
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{label}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    ).encode()
    tail = f"\r\n--{boundary}--\r\n".encode()

    def make() -> Iterator[bytes]:
        sent = 0
        yield head
        for chunk in read_chunks(source):
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
