"""The account's webhook, and verification of its calls."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Any, Dict, Iterator, List, Mapping, Optional, Union

from .errors import StemwrightError, WebhookSignatureError
from .lists import walk_list
from .transport import Transport, escape

TOLERANCE_SECONDS = 300


def unwrap_webhook(
    body: Union[str, bytes], headers: Mapping[str, str], secret: str, *, tolerance: float = TOLERANCE_SECONDS
) -> Dict[str, Any]:
    """Verifies a webhook (https://www.standardwebhooks.com) and returns its Task.

    Pass the raw body, before any JSON parser. Raises ``WebhookSignatureError`` if the signature is invalid.
    """
    known = {name.lower(): value for name, value in headers.items()}
    try:
        id, timestamp = known["webhook-id"], known["webhook-timestamp"]
        signatures = known["webhook-signature"].split(" ")
    except KeyError as missing:
        raise WebhookSignatureError(f"Missing {missing} header: not a signed webhook") from None
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > tolerance:
        raise WebhookSignatureError("Webhook timestamp is outside the tolerance; check the clocks of both machines")
    try:
        key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret, validate=True)
    except binascii.Error:
        raise StemwrightError("Invalid webhook secret: expected whsec_ followed by base64") from None
    content = body.encode() if isinstance(body, str) else bytes(body)
    digest = hmac.new(key, f"{id}.{timestamp}.".encode() + content, hashlib.sha256).digest()
    expected = f"v1,{base64.b64encode(digest).decode()}".encode()
    if not any(hmac.compare_digest(expected, signature.encode()) for signature in signatures):
        raise WebhookSignatureError("No webhook signature matches: the secret is wrong or the call is forged")
    return json.loads(content)


class Deliveries:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, *, task_id: Optional[str] = None, state: Optional[str] = None) -> Iterator[Dict[str, Any]]:
        """The delivery log, newest first."""
        return walk_list(self._transport, "/webhooks/deliveries", query={"taskId": task_id, "state": state})

    def replay(self, id: str) -> Dict[str, Any]:
        """Sends a delivery again, with the same ``webhook-id``."""
        return self._transport.load("POST", f"/webhooks/deliveries/{escape(id)}/replay")


class Webhooks:
    def __init__(self, transport: Transport, secret: Optional[str]) -> None:
        self.deliveries = Deliveries(transport)
        self._transport = transport
        self._secret = secret

    def set(self, url: str) -> Dict[str, Any]:
        """Sets the account's webhook URL, replacing and re-enabling an existing one."""
        return self._transport.load("POST", "/webhooks", body={"url": url})

    def list(self) -> List[Dict[str, Any]]:
        return self._transport.load("GET", "/webhooks")

    def secret(self) -> str:
        """The account's signing secret, also used for the ``webhookUrl`` of Tasks."""
        return self._transport.load("GET", "/webhooks/secret")["secret"]

    def delete(self, id: str) -> Dict[str, Any]:
        return self._transport.load("DELETE", f"/webhooks/{escape(id)}")

    def rotate_secret(self, id: str) -> Dict[str, Any]:
        """Creates a new secret; the old one keeps signing for 24 hours."""
        return self._transport.load("POST", f"/webhooks/{escape(id)}/rotate-secret")

    def test(self, id: str) -> Dict[str, Any]:
        """Sends a sample Task once."""
        return self._transport.load("POST", f"/webhooks/{escape(id)}/test")

    def unwrap(
        self,
        body: Union[str, bytes],
        headers: Mapping[str, str],
        secret: Optional[str] = None,
        *,
        tolerance: float = TOLERANCE_SECONDS,
    ) -> Dict[str, Any]:
        """As ``unwrap_webhook``; the secret defaults to the client's ``webhook_secret``."""
        chosen = secret or self._secret
        if chosen is None:
            raise StemwrightError("Missing webhook secret: pass it, set webhook_secret or STEMWRIGHT_WEBHOOK_SECRET")
        return unwrap_webhook(body, headers, chosen, tolerance=tolerance)
