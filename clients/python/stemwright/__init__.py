"""Client for a Stemwright service. Standard library only."""

from .client import Stemwright
from .errors import (
    ApiConnectionError,
    ApiError,
    AuthenticationError,
    BadRequestError,
    ConflictError,
    CreditsError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    ServerError,
    StemwrightError,
    WebhookSignatureError,
)
from .webhooks import unwrap_webhook

__all__ = [
    "ApiConnectionError",
    "ApiError",
    "AuthenticationError",
    "BadRequestError",
    "ConflictError",
    "CreditsError",
    "NotFoundError",
    "PermissionDeniedError",
    "RateLimitError",
    "ServerError",
    "Stemwright",
    "StemwrightError",
    "WebhookSignatureError",
    "unwrap_webhook",
]
