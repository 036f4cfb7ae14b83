"""Downloads."""

from __future__ import annotations

import http.client
import os
import re
import time
import uuid
from pathlib import Path
from typing import IO, Any, Callable, Dict, Iterator, Optional, Tuple, Union

from .errors import ApiConnectionError, ApiError, StemwrightError
from .transport import Transport, make_delay
from .uploads import OnProgress

PathLike = Union[str, "os.PathLike[str]"]

_CHUNK_BYTES = 256 * 1024
#: Status of an expired link: 403 from this service, AWS and Azure, 400 from Google.
_EXPIRED_STATUSES = (400, 403)


class _Download:
    """State of one download across reconnects."""

    def __init__(self, transport: Transport, link: str, renew: Callable[[], str]) -> None:
        self.received = 0
        self.total: Optional[int] = None
        self._tag: Optional[str] = None
        self._transport = transport
        self._link = link
        self._renew = renew

    def connect(self) -> http.client.HTTPResponse:
        """Requests the rest of the file; renews the link if it has expired."""
        headers: Dict[str, str] = {}
        if self.received:
            headers["range"] = f"bytes={self.received}-"
            if self._tag:
                headers["if-range"] = self._tag
        try:
            return self._transport.open_link(self._link, headers)
        except ApiError as error:
            if error.status not in _EXPIRED_STATUSES:
                raise
            self._link = self._renew()
            return self._transport.open_link(self._link, headers)

    def begin(self, response: http.client.HTTPResponse, file: IO[bytes]) -> None:
        """Reads the response headers; starts over if the server ignored Range."""
        if self.received and response.status == 206:
            return
        tag = response.headers.get("etag")
        if self.received and tag != self._tag:
            raise StemwrightError("The file changed during the download; start again")
        file.seek(0)
        file.truncate()
        length = response.headers.get("content-length")
        self.received, self.total, self._tag = 0, int(length) if length else None, tag


def _read(response: http.client.HTTPResponse) -> bytes:
    try:
        return response.read(_CHUNK_BYTES)
    except (OSError, http.client.HTTPException) as error:
        raise ApiConnectionError(f"Download interrupted: {error}") from error


def _fill(file: IO[bytes], download: _Download, on_progress: Optional[OnProgress], max_retries: int) -> None:
    failures = 0
    while True:
        with download.connect() as response:
            download.begin(response, file)
            try:
                for chunk in iter(lambda: _read(response), b""):
                    file.write(chunk)
                    failures = 0
                    download.received += len(chunk)
                    if on_progress:
                        on_progress(download.received, download.total)
                if download.total is None or download.received >= download.total:
                    return
                raise ApiConnectionError(f"Download ended after {download.received} of {download.total} bytes")
            except ApiConnectionError:
                if failures >= max_retries:
                    raise
        time.sleep(make_delay(failures, None))
        failures += 1


def save_link(
    transport: Transport,
    link: str,
    path: PathLike,
    *,
    renew: Callable[[], str],
    on_progress: Optional[OnProgress] = None,
) -> None:
    """Downloads a link to a file, atomically."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f"{target.name}.{uuid.uuid4().hex}.part")
    try:
        with open(partial, "xb") as file:
            _fill(file, _Download(transport, link, renew), on_progress, transport.max_retries)
        os.replace(partial, target)
    finally:
        if partial.exists():
            partial.unlink()


EXTENSIONS = {"ultrastar": "ultrastar.txt", "click": "click.wav"}


def name_outputs(task: Dict[str, Any]) -> Iterator[Tuple[Dict[str, Any], str]]:
    """The outputs of a Task with unique file names, without path separators."""
    taken = set()
    for target in task["targets"]:
        for output in target["output"]:
            stem, extension = (re.sub(r'[/\\:*?"<>|\x00-\x1f\x7f]', "_", output[key]) for key in ("name", "format"))
            extension = EXTENSIONS.get(extension, extension)
            name, copy = f"{stem}.{extension}", 2
            while name.lower() in taken:
                name, copy = f"{stem}-{copy}.{extension}", copy + 1
            taken.add(name.lower())
            yield output, name
