"""Uploaded files."""

from __future__ import annotations

from typing import Any, Dict, Iterator, Optional

from .downloads import PathLike, save_link
from .lists import walk_list
from .transport import Transport, escape
from .uploads import OnProgress, UploadInput, make_multipart

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
    ) -> Asset:
        """Uploads a path, bytes or an open file. Uploads of open files are not retried."""
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
