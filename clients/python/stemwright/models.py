"""The model catalogue."""

from __future__ import annotations

from typing import Any, Dict, List

from .transport import Transport


class Models:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self) -> List[Dict[str, Any]]:
        """All models, with the account's access and rates."""
        return self._transport.load("GET", "/models")["models"]
