"""Uploaded files."""

from __future__ import annotations

import os
from typing import Any, Dict, Iterator, Optional

from .downloads import PathLike, save_link
from .errors import StemwrightError
from .lists import walk_list
from .pieces import PIECE_BYTES, send_in_pieces
from .transport import Transport, escape
from .uploads import OnProgress, UploadInput, find_size, make_multipart

Asset = Dict[str, Any]


class Assets:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def upload(
        self,
        source: UploadInput,
        *,
        name: Optional[str] = None,
        on_progress: Optional[OnProgress] = None,
        idempotency_key: Optional[str] = None,
        direct: bool = False,
    ) -> Asset:
        """Uploads a path, bytes or an open file.

        Over 16 MiB, paths and bytes are sent in pieces: after a failure they resume with the next byte, a path also in
        another process. ``direct`` sends them straight into the service's bucket, if it offers that. Uploads of open
        files are not retried.
        """
        if isinstance(source, (str, os.PathLike, bytes)) and (direct or (find_size(source) or 0) > PIECE_BYTES):
            return send_in_pieces(
                self._transport,
                source,
                name=name,
                on_progress=on_progress,
                idempotency_key=idempotency_key,
                direct=direct,
            )
        if direct:
            raise StemwrightError("direct needs a path or bytes: an open file can't be sent in parts")
        form = make_multipart(source, name=name, on_progress=on_progress)
        return self._transport.load("POST", "/assets", body=form, idempotency_key=idempotency_key)

    def list(self, *, skip: int = 0, take: int = 100, **filters: str) -> Iterator[Asset]:
        """All assets, newest first, loaded in pages of ``take``. The filter is ``search``."""
        return walk_list(self._transport, "/assets", skip=skip, take=take, query=filters)

    def get(self, id: str) -> Asset:
        return self._transport.load("GET", f"/assets/{escape(id)}")

    def delete(self, id: str) -> Asset:
        """Deletes the asset and its file."""
        return self._transport.load("DELETE", f"/assets/{escape(id)}")

    def save(self, asset: Asset, path: PathLike, *, on_progress: Optional[OnProgress] = None) -> None:
        """Downloads the uploaded file to a path."""

        def renew() -> str:
            return self.get(asset["id"])["link"]

        save_link(self._transport, asset["link"], path, renew=renew, on_progress=on_progress)
