"""Exceptions, one class per status family."""

from __future__ import annotations

from typing import Any, Dict, List, Optional


class StemwrightError(Exception):
    """Base class of every error this package raises."""


class ApiConnectionError(StemwrightError):
    """No response: network error or timeout."""


class WebhookSignatureError(StemwrightError):
    """A webhook with an invalid signature or a stale timestamp."""


class ApiError(StemwrightError):
    """An error response from the service."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: Optional[str] = None,
        details: Optional[List[Dict[str, str]]] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        #: None if the response came from a proxy in front of the service.
        self.code = code
        #: The invalid fields, if any.
        self.details = details or []
        #: Identifies the request in the service's log.
        self.request_id = request_id
        #: Seconds to wait before retrying.
        self.retry_after = retry_after


class BadRequestError(ApiError):
    """400, 413, 415 and every other 4xx without its own class."""


class AuthenticationError(ApiError):
    """401: the key is missing, unknown or revoked."""


class CreditsError(ApiError):
    """402: the account's credits do not cover the Task."""


class PermissionDeniedError(ApiError):
    """403: model not granted, account suspended, or insufficient role."""


class NotFoundError(ApiError):
    """404: no such resource in this account."""


class ConflictError(ApiError):
    """409: conflicts with the current state."""


class RateLimitError(ApiError):
    """429: rate limited; see ``retry_after``."""


class ServerError(ApiError):
    """5xx: the service failed or is temporarily unavailable."""


_CLASSES = {
    401: AuthenticationError,
    402: CreditsError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    429: RateLimitError,
}


def make_api_error(status: int, body: Any, *, request_id: Optional[str], retry_after: Optional[float]) -> ApiError:
    """Builds the error for a status. Bodies that are not ours, such as a proxy's HTML page, are reported by status only."""
    kind = _CLASSES.get(status, ServerError if status >= 500 else BadRequestError)
    ours = body if isinstance(body, dict) and "code" in body and "message" in body else {}
    return kind(
        str(ours.get("message", f"Request failed with status {status}")),
        status=status,
        code=ours.get("code"),
        details=ours.get("details"),
        request_id=ours.get("requestId", request_id),
        retry_after=retry_after,
    )
