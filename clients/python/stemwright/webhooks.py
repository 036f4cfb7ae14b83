"""Calls that tell of finished targets."""

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
    """Verifies a call as https://www.standardwebhooks.com has it, and gives the Task it tells of.

    The body is what came, byte for byte, before any JSON parser. Raises ``WebhookSignatureError`` for what is not from
    the service.
    """
    known = {name.lower(): value for name, value in headers.items()}
    try:
        id, timestamp = known["webhook-id"], known["webhook-timestamp"]
        signatures = known["webhook-signature"].split(" ")
    except KeyError as missing:
        raise WebhookSignatureError(f"The call has no {missing} header: it is not a signed webhook") from None
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > tolerance:
        raise WebhookSignatureError("The call's time is too far from this machine's; are both clocks right?")
    try:
        key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret, validate=True)
    except binascii.Error:
        raise StemwrightError("The webhook secret is not one: it is whsec_ and base64") from None
    content = body.encode() if isinstance(body, str) else bytes(body)
    digest = hmac.new(key, f"{id}.{timestamp}.".encode() + content, hashlib.sha256).digest()
    expected = f"v1,{base64.b64encode(digest).decode()}".encode()
    if not any(hmac.compare_digest(expected, signature.encode()) for signature in signatures):
        raise WebhookSignatureError("No signature of the call holds: it is not from the service, or the secret is another")
    return json.loads(content)


class Deliveries:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, *, task_id: Optional[str] = None, state: Optional[str] = None) -> Iterator[Dict[str, Any]]:
        """The calls that were made or are to be, newest first."""
        return walk_list(self._transport, "/webhooks/deliveries", query={"taskId": task_id, "state": state})

    def replay(self, id: str) -> Dict[str, Any]:
        """Sends one again, with the same ``webhook-id``."""
        return self._transport.load("POST", f"/webhooks/deliveries/{escape(id)}/replay")


class Webhooks:
    def __init__(self, transport: Transport, secret: Optional[str]) -> None:
        self.deliveries = Deliveries(transport)
        self._transport = transport
        self._secret = secret

    def set(self, url: str) -> Dict[str, Any]:
        """Sets the account's one URL; again: gives it another, and enables it again."""
        return self._transport.load("POST", "/webhooks", body={"url": url})

    def list(self) -> List[Dict[str, Any]]:
        return self._transport.load("GET", "/webhooks")

    def secret(self) -> str:
        """What calls are signed with, also those to the ``webhookUrl`` of a Task."""
        return self._transport.load("GET", "/webhooks/secret")["secret"]

    def delete(self, id: str) -> Dict[str, Any]:
        return self._transport.load("DELETE", f"/webhooks/{escape(id)}")

    def rotate_secret(self, id: str) -> Dict[str, Any]:
        """Makes a new secret; the one before signs too for 24 hours."""
        return self._transport.load("POST", f"/webhooks/{escape(id)}/rotate-secret")

    def test(self, id: str) -> Dict[str, Any]:
        """Sends a sample Task, once."""
        return self._transport.load("POST", f"/webhooks/{escape(id)}/test")

    def unwrap(
        self,
        body: Union[str, bytes],
        headers: Mapping[str, str],
        secret: Optional[str] = None,
        *,
        tolerance: float = TOLERANCE_SECONDS,
    ) -> Dict[str, Any]:
        """As ``unwrap_webhook``, with the client's ``webhook_secret`` where none is given."""
        chosen = secret or self._secret
        if chosen is None:
            raise StemwrightError("Give the webhook secret, as an argument, as webhook_secret or in STEMWRIGHT_WEBHOOK_SECRET")
        return unwrap_webhook(body, headers, chosen, tolerance=tolerance)
