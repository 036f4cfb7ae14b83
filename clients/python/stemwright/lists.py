"""Pagination."""

from __future__ import annotations

from typing import Any, Dict, Iterator, Optional, Set

from .transport import Transport

_PAGE_SIZE_MAX = 100


def walk_list(
    transport: Transport, path: str, *, skip: int = 0, take: int = _PAGE_SIZE_MAX, query: Optional[Dict[str, Any]] = None
) -> Iterator[Dict[str, Any]]:
    """All records of a list, newest first.

    Offsets shift when records are created or deleted during iteration. Items already yielded are skipped, and when the
    total has shrunk the next page is read from an earlier offset.
    """
    seen: Set[str] = set()
    first_skip, last_total = skip, 0

    def load_page(from_: int) -> Any:
        return transport.load_with_headers("GET", path, query={**(query or {}), "skip": from_, "take": take})

    while True:
        items, headers = load_page(skip)
        gone = min(last_total - int(headers["x-total-count"]), skip - first_skip)
        if gone > 0:
            skip -= gone
            items, headers = load_page(skip)
        for item in items:
            if item["id"] not in seen:
                seen.add(item["id"])
                yield item
        skip += len(items)
        last_total = int(headers["x-total-count"])
        if not items or skip >= last_total:
            return
