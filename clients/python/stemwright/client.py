"""The client."""

from __future__ import annotations

import os
import urllib.parse
from typing import Optional

from .assets import Assets
from .errors import StemwrightError
from .models import Models
from .tasks import Tasks
from .transport import Transport
from .webhooks import Webhooks

#: Default address of a local service.
LOCAL_BASE_URL = "http://127.0.0.1:8080"


class Stemwright:
    """A client for a Stemwright service.

    ``base_url``, ``api_key`` and ``webhook_secret`` default to ``STEMWRIGHT_BASE_URL``, ``STEMWRIGHT_API_KEY`` and
    ``STEMWRIGHT_WEBHOOK_SECRET``. ``base_url`` may have a sub-path.

    >>> client = Stemwright(base_url="https://stems.example", api_key="sw_…")  # doctest: +SKIP
    >>> task = client.tasks.run("song.mp3", [{"model": "vocals", "formats": ["wav"]}])  # doctest: +SKIP
    >>> client.tasks.save_all(task, "stems")  # doctest: +SKIP
    """

    def __init__(
        self,
        *,
        base_url: Optional[str] = None,
        api_key: Optional[str] = None,
        webhook_secret: Optional[str] = None,
        max_retries: int = 2,
        timeout: float = 60.0,
    ) -> None:
        url = base_url or os.environ.get("STEMWRIGHT_BASE_URL") or LOCAL_BASE_URL
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise StemwrightError(f"base_url is not a valid URL: {url} (expected something like https://stems.example/api)")
        self.base_url = url.rstrip("/")
        transport = Transport(
            base_url=self.base_url,
            api_key=api_key or os.environ.get("STEMWRIGHT_API_KEY"),
            max_retries=max_retries,
            timeout=timeout,
        )
        self.assets = Assets(transport)
        self.tasks = Tasks(transport, self.assets)
        self.models = Models(transport)
        self.webhooks = Webhooks(transport, webhook_secret or os.environ.get("STEMWRIGHT_WEBHOOK_SECRET"))
