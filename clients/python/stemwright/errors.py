"""What can go wrong, one class for each family of statuses."""

from __future__ import annotations

from typing import Any, Dict, List, Optional


class StemwrightError(Exception):
    """What every error of this package is."""


class ApiConnectionError(StemwrightError):
    """No answer came: the network failed, or nothing was heard in time."""


class WebhookSignatureError(StemwrightError):
    """A webhook call whose signature does not hold, or that is too old."""


class ApiError(StemwrightError):
    """The service refused a request, or failed at it."""

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
        #: None where something in front of the service answered, a proxy say.
        self.code = code
        #: The fields at fault, where it is fields.
        self.details = details or []
        #: Names the request in the service's log.
        self.request_id = request_id
        #: Seconds after which to try again.
        self.retry_after = retry_after


class BadRequestError(ApiError):
    """400, 413, 415 and every other 4xx without a class of its own."""


class AuthenticationError(ApiError):
    """401: no key, or one that is unknown or revoked."""


class CreditsError(ApiError):
    """402: the account's credits do not cover the Task."""


class PermissionDeniedError(ApiError):
    """403: the model is not granted, the account is suspended, or the key may not do that."""


class NotFoundError(ApiError):
    """404: unknown to this account."""


class ConflictError(ApiError):
    """409: in conflict with what is there."""


class RateLimitError(ApiError):
    """429: too many requests; ``retry_after`` says when to go on."""


class ServerError(ApiError):
    """5xx: the service failed, or is not to be reached for now."""


_CLASSES = {
    401: AuthenticationError,
    402: CreditsError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    429: RateLimitError,
}


def make_api_error(status: int, body: Any, *, request_id: Optional[str], retry_after: Optional[float]) -> ApiError:
    """The error of a status. What is no error of ours, a proxy's page say, is told by its status."""
    kind = _CLASSES.get(status, ServerError if status >= 500 else BadRequestError)
    ours = body if isinstance(body, dict) and "code" in body and "message" in body else {}
    return kind(
        str(ours.get("message", f"The service answered with status {status}")),
        status=status,
        code=ours.get("code"),
        details=ours.get("details"),
        request_id=ours.get("requestId", request_id),
        retry_after=retry_after,
    )
