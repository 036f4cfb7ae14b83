"""Requests over urllib: keys, retries, errors."""

from __future__ import annotations

import email.utils
import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Callable, Dict, Iterable, Mapping, NamedTuple, Optional, Tuple

from .errors import ApiConnectionError, ApiError, StemwrightError, make_api_error

#: A longer Retry-After is not waited for: the error is raised at once.
RETRY_AFTER_MAX_SECONDS = 60.0
_FIRST_DELAY_SECONDS = 0.5
_LONGEST_DELAY_SECONDS = 8.0
#: Raised by urllib and http.client.
_NETWORK_ERRORS = (OSError, http.client.HTTPException)


class Body(NamedTuple):
    """A request body; ``make`` is called for each attempt. ``is_once`` disables retries."""

    make: Callable[[], Iterable[bytes]]
    headers: Mapping[str, str]
    is_once: bool = False


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Following redirects would send the key to another host."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):  # type: ignore[no-untyped-def]
        raise StemwrightError(f"{req.full_url} was redirected to {newurl}; set base_url to the final address")


def escape(part: str) -> str:
    """Escapes a path segment. Empty and dot segments would address a different route."""
    if part in ("", ".", ".."):
        raise ValueError(f"Invalid id: {part!r}")
    return urllib.parse.quote(part, safe="")


def _parse_retry_after(header: Optional[str]) -> Optional[float]:
    if not header:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def make_delay(retry: int, retry_after: Optional[float]) -> float:
    """Backoff with jitter, in seconds. Jitter is only ever added to Retry-After."""
    if retry_after is not None:
        return retry_after + random.random() * _FIRST_DELAY_SECONDS
    return min(_LONGEST_DELAY_SECONDS, _FIRST_DELAY_SECONDS * 2**retry) * (0.5 + 0.5 * random.random())


def is_worth_retrying(error: BaseException) -> bool:
    """Whether the error is transient."""
    if isinstance(error, ApiError):
        is_passing = error.status in (408, 429) or error.status >= 500
        return is_passing and (error.retry_after or 0) <= RETRY_AFTER_MAX_SECONDS
    return isinstance(error, ApiConnectionError)


class Transport:
    def __init__(self, *, base_url: str, api_key: Optional[str], max_retries: int, timeout: float) -> None:
        self.max_retries = max_retries
        self._base_url = base_url
        self._api_key = api_key
        self._timeout = timeout
        self._opener = urllib.request.build_opener(_NoRedirects)
        self._link_opener = urllib.request.build_opener()

    def load(self, method: str, path: str, **options: Any) -> Any:
        """The JSON body; options as for ``load_with_headers``."""
        return self.load_with_headers(method, path, **options)[0]

    def load_with_headers(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        headers: Optional[Mapping[str, str]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Tuple[Any, Mapping[str, str]]:
        known = {name: value for name, value in (query or {}).items() if value is not None}
        url = self._base_url + path + (f"?{urllib.parse.urlencode(known)}" if known else "")
        sent: Dict[str, str] = {"accept": "application/json", **(headers or {})}
        if self._api_key:
            sent["x-api-key"] = self._api_key
        if method == "POST":
            sent["idempotency-key"] = idempotency_key or uuid.uuid4().hex
        if body is not None and not isinstance(body, Body):
            content = json.dumps(body).encode()
            body = Body(lambda: [content], {"content-type": "application/json", "content-length": str(len(content))})
        return self._with_retries(lambda: self._attempt(method, url, sent, body), body is not None and body.is_once)

    def open_link(self, url: str, headers: Mapping[str, str]) -> http.client.HTTPResponse:
        """Opens a download link, without the key. The body is not read yet."""
        request = urllib.request.Request(url, headers=dict(headers))
        return self._with_retries(lambda: self._open(self._link_opener, request), False)

    def put_link(self, url: str, body: Body) -> None:
        """Sends bytes to a presigned URL, without the key."""
        headers = {name: value for name, value in body.headers.items() if name == "content-length"}
        # urllib would add a form's content type.
        request = urllib.request.Request(
            url, data=body.make(), method="PUT", headers={**headers, "content-type": "application/octet-stream"}
        )
        with self._open(self._link_opener, request):
            pass

    def _with_retries(self, attempt: Callable[[], Any], is_once: bool) -> Any:
        retry = 0
        while True:
            try:
                return attempt()
            except StemwrightError as error:
                if retry >= self.max_retries or is_once or not is_worth_retrying(error):
                    raise
                time.sleep(make_delay(retry, getattr(error, "retry_after", None)))
                retry += 1

    def _attempt(self, method: str, url: str, headers: Mapping[str, str], body: Optional[Body]) -> Any:
        data = body.make() if body else None
        request = urllib.request.Request(
            url, data=data, method=method, headers={**headers, **(body.headers if body else {})}
        )
        with self._open(self._opener, request) as response:
            try:
                content = response.read()
            except _NETWORK_ERRORS as error:
                raise ApiConnectionError(f"{method} {url} was interrupted: {error}") from error
            try:
                return json.loads(content) if content else None, response.headers
            except ValueError:
                raise StemwrightError(f"{url} did not return JSON; check base_url") from None

    def _open(self, opener: urllib.request.OpenerDirector, request: urllib.request.Request) -> Any:
        try:
            return opener.open(request, timeout=self._timeout)
        except urllib.error.HTTPError as error:
            with error:
                raise _read_error(error) from None
        except _NETWORK_ERRORS as error:
            reason = getattr(error, "reason", error)
            raise ApiConnectionError(f"{request.get_method()} {request.full_url} failed: {reason}") from error


def _read_error(error: urllib.error.HTTPError) -> ApiError:
    try:
        body = json.loads(error.read())
    except (ValueError, *_NETWORK_ERRORS):
        body = None
    return make_api_error(
        error.code,
        body,
        request_id=error.headers.get("x-request-id"),
        retry_after=_parse_retry_after(error.headers.get("retry-after")),
    )
