"""Large uploads: in pieces that resume (tus), or straight into the service's bucket."""

from __future__ import annotations

import base64
import os
import time
import urllib.parse
from pathlib import Path
from typing import Any, Dict, Optional, Union

from .errors import ApiError, StemwrightError
from .transport import Body, Transport, escape, is_worth_retrying, make_delay
from .uploads import OnProgress, find_name, find_size, read_chunks

#: Larger files are sent in pieces of this size: proxies that buffer a request lose no more when it breaks.
PIECE_BYTES = 16 * 1024 * 1024
#: Failures in a row without a new byte, for each retry of a request: a broken line needs more patience.
_PATIENCE = 4
#: Somebody else continues the upload, or it is gone: it starts again.
_LOST_CODES = ("UPLOAD_TAKEN_OVER", "NOT_FOUND")
_TUS = {"tus-resumable": "1.0.0"}

SizedSource = Union[str, "os.PathLike[str]", bytes]


def send_in_pieces(
    transport: Transport,
    source: SizedSource,
    *,
    name: Optional[str],
    on_progress: Optional[OnProgress],
    idempotency_key: Optional[str],
    direct: bool,
) -> Dict[str, Any]:
    """Uploads a path or bytes; resumes what an earlier process left of the same path."""
    kind = _DirectUpload if direct else _ResumableUpload
    upload = kind(transport, source, name or find_name(source), on_progress, idempotency_key)
    failures = 0
    error: Optional[StemwrightError] = None
    while True:
        try:
            if error and upload.recover(error):
                failures = 0
            return upload.send()
        except StemwrightError as caught:
            if failures >= transport.max_retries * _PATIENCE or not (is_worth_retrying(caught) or upload.can_recover(caught)):
                raise
            error = caught
            time.sleep(make_delay(failures, getattr(caught, "retry_after", None)))
            failures += 1


class _Upload:
    kind = ""

    def __init__(
        self,
        transport: Transport,
        source: SizedSource,
        name: str,
        on_progress: Optional[OnProgress],
        idempotency_key: Optional[str],
    ) -> None:
        self._transport = transport
        self._source = source
        self._name = name
        self._size = find_size(source) or 0
        self._on_progress = on_progress
        self._key = idempotency_key
        self._fingerprint = None if isinstance(source, bytes) else self._make_fingerprint(Path(source))
        self._id: Optional[str] = None
        self._offset = 0

    def _make_fingerprint(self, path: Path) -> str:
        return f"{self.kind} {self._size} {path.stat().st_mtime_ns // 1_000_000} {self._name}"[:500]

    def _find_earlier(self) -> Optional[Dict[str, Any]]:
        if self._fingerprint is None or self._key is not None:
            return None
        for upload in self._transport.load("GET", "/uploads", query={"take": 100}):
            is_same = upload.get("fingerprint") == self._fingerprint and upload["size"] == self._size
            if is_same and not upload["isReceiving"]:
                return upload
        return None

    def _get(self) -> Dict[str, Any]:
        return self._transport.load("GET", f"/uploads/{escape(self._id or '')}")

    def _complete(self) -> Dict[str, Any]:
        return self._transport.load("POST", f"/uploads/{escape(self._id or '')}/complete")

    def _make_body(self, start: int, end: int, *, reports: bool) -> Body:
        def make() -> Any:
            sent = start
            for chunk in read_chunks(self._source, start, end):
                yield chunk
                sent += len(chunk)
                if reports and self._on_progress:
                    self._on_progress(sent, self._size)

        headers = {"content-type": "application/offset+octet-stream", "content-length": str(end - start)}
        return Body(make, headers, is_once=True)


class _ResumableUpload(_Upload):
    kind = "tus"

    def send(self) -> Dict[str, Any]:
        if self._id is None:
            earlier = self._find_earlier()
            if earlier:
                self._id, self._offset = earlier["id"], earlier["offset"]
            else:
                self._create(self._key)
        while self._offset < self._size:
            end = min(self._offset + PIECE_BYTES, self._size)
            headers = self._transport.load_with_headers(
                "PATCH",
                f"/uploads/{escape(self._id or '')}",
                body=self._make_body(self._offset, end, reports=True),
                headers={**_TUS, "upload-offset": str(self._offset)},
            )[1]
            self._offset = int(headers["upload-offset"])
        return self._complete()

    def _create(self, idempotency_key: Optional[str]) -> None:
        fields = {"filename": self._name, "fingerprint": self._fingerprint}
        metadata = ",".join(
            f"{field} {base64.b64encode(value.encode()).decode()}" for field, value in fields.items() if value
        )
        headers = {**_TUS, "upload-length": str(self._size), "upload-metadata": metadata}
        answer = self._transport.load_with_headers(
            "POST", "/uploads", headers=headers, idempotency_key=idempotency_key
        )[1]
        path = urllib.parse.urlsplit(answer["location"]).path
        self._id, self._offset = path.rsplit("/", 1)[1], int(answer["upload-offset"])

    def can_recover(self, error: StemwrightError) -> bool:
        codes = ("UPLOAD_OFFSET_WRONG", *_LOST_CODES)
        return self._id is not None and isinstance(error, ApiError) and error.code in codes

    def recover(self, error: StemwrightError) -> bool:
        """Finds out what arrived; true if it is more than before."""
        if self._id is None:
            return False
        if isinstance(error, ApiError) and error.code in _LOST_CODES:
            self._create(None)
            return False
        before, self._offset = self._offset, self._get()["offset"]
        return self._offset > before


class _DirectUpload(_Upload):
    kind = "direct"

    def send(self) -> Dict[str, Any]:
        if self._id is None:
            earlier = self._find_earlier()
            self._id = earlier["id"] if earlier else None
        upload = self._get() if self._id else self._create()
        while upload["parts"]:
            sent = upload["offset"]
            for part in upload["parts"]:
                body = self._make_body(part["start"], part["start"] + part["size"], reports=False)
                self._transport.put_link(part["url"], body)
                sent += part["size"]
                if self._on_progress:
                    self._on_progress(sent, self._size)
            upload = self._get()
        return self._complete()

    def _create(self) -> Dict[str, Any]:
        body = {"name": self._name, "size": self._size, "fingerprint": self._fingerprint}
        upload = self._transport.load("POST", "/uploads/direct", body=body, idempotency_key=self._key)
        self._id = upload["id"]
        return upload

    def can_recover(self, error: StemwrightError) -> bool:
        """The bucket refuses a URL that has expired, in its own words."""
        return self._id is not None and isinstance(error, ApiError) and error.code is None

    def recover(self, error: StemwrightError) -> bool:
        before, self._offset = self._offset, self._get()["offset"] if self._id else 0
        return self._offset > before
