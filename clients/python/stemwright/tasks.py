"""Processing requests: one input, 1 to 20 targets."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Union

from .assets import Assets
from .downloads import PathLike, name_outputs, save_link
from .errors import StemwrightError
from .lists import walk_list
from .transport import Transport, escape, is_worth_retrying, make_delay
from .uploads import OnProgress, UploadInput

Task = Dict[str, Any]
#: Called with the mean progress of all targets, 0 to 1, and the Task.
OnTaskProgress = Callable[[float, Task], None]
#: Called with the queue position (0 while running, 1 when next) and the Task.
OnQueueUpdate = Callable[[int, Task], None]

#: Consecutive failures tolerated while polling: enough for a restart of the service.
_FAILED_POLLS_MAX = 10


def _to_camel_case(name: str) -> str:
    return re.sub(r"_(\w)", lambda match: match.group(1).upper(), name)


def _make_request(targets: List[Dict[str, Any]], fields: Dict[str, Any]) -> Dict[str, Any]:
    known = {_to_camel_case(name): value for name, value in fields.items() if value is not None}
    return {"targets": targets, **known}


def _measure_progress(task: Task) -> float:
    parts = [target.get("progress", 0) if target["status"] == "processing" else 1 for target in task["targets"]]
    return sum(parts) / len(parts)


def _find_position(task: Task) -> Optional[int]:
    return next((target["queuePosition"] for target in task["targets"] if "queuePosition" in target), None)


class Tasks:
    def __init__(self, transport: Transport, assets: Assets) -> None:
        self._transport = transport
        self._assets = assets

    def run(
        self,
        source: Union[UploadInput, Dict[str, str]],
        targets: List[Dict[str, Any]],
        *,
        name: Optional[str] = None,
        on_upload_progress: Optional[OnProgress] = None,
        on_progress: Optional[OnTaskProgress] = None,
        on_queue_update: Optional[OnQueueUpdate] = None,
        poll_interval: float = 2.0,
        timeout: Optional[float] = None,
        idempotency_key: Optional[str] = None,
        **fields: Any,
    ) -> Task:
        """Uploads the input if needed, creates a Task and waits for it.

        ``source`` is anything ``assets.upload`` takes, a URL (``https://``, ``s3://``, ``gs://``, ``az://``), or
        ``{"assetId": …}``. Returns even if targets failed: check their ``status``. Ctrl-C and ``timeout`` (seconds)
        cancel the Task. Other keyword arguments are fields of the Task (``webhook_url``, ``metadata``, …).

        >>> task = client.tasks.run("song.mp3", [{"model": "vocals", "formats": ["wav"]}])  # doctest: +SKIP
        >>> client.tasks.save_all(task, "stems")  # doctest: +SKIP
        """
        if isinstance(source, dict):
            fields.update(source)
        elif isinstance(source, str) and re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", source):
            fields["url"] = source
        else:
            # A repeated run must get the same asset, or the Task's body would differ and conflict.
            key = idempotency_key and f"{idempotency_key}-upload"
            asset = self._assets.upload(source, name=name, on_progress=on_upload_progress, idempotency_key=key)
            fields["assetId"] = asset["id"]
        task = self.create(targets, idempotency_key=idempotency_key, **fields)
        try:
            return self.wait(
                task,
                on_progress=on_progress,
                on_queue_update=on_queue_update,
                poll_interval=poll_interval,
                timeout=timeout,
            )
        except (KeyboardInterrupt, SystemExit, TimeoutError):
            try:
                self.cancel(task["id"])
            except StemwrightError:
                pass
            raise

    def create(self, targets: List[Dict[str, Any]], *, idempotency_key: Optional[str] = None, **fields: Any) -> Task:
        """Creates a Task from ``asset_id`` or ``url``.

        >>> client.tasks.create([{"model": "drums", "formats": ["wav"]}], asset_id=asset["id"])  # doctest: +SKIP
        """
        body = _make_request(targets, fields)
        return self._transport.load("POST", "/tasks", body=body, idempotency_key=idempotency_key)

    def estimate(self, targets: List[Dict[str, Any]], **fields: Any) -> Dict[str, Any]:
        """Cost of a Task. Makes the same checks as ``create`` but runs nothing."""
        return self._transport.load("POST", "/tasks/estimate", body=_make_request(targets, fields))

    def list(self, *, skip: int = 0, take: int = 100, **filters: str) -> Iterator[Task]:
        """All Tasks, newest first, loaded in pages of ``take``. Filters are ``status``, ``model``,
        ``search``, ``createdAfter`` and ``createdBefore``."""
        return walk_list(self._transport, "/tasks", skip=skip, take=take, query=filters)

    def get(self, id: str) -> Task:
        """Current state, with fresh download links."""
        return self._transport.load("GET", f"/tasks/{escape(id)}")

    def cancel(self, id: str) -> Task:
        """Ends unfinished targets with error 4001, free of charge."""
        return self._transport.load("POST", f"/tasks/{escape(id)}/cancel")

    def delete(self, id: str) -> Dict[str, str]:
        """Deletes the Task and its files."""
        return self._transport.load("DELETE", f"/tasks/{escape(id)}")

    def wait(
        self,
        task: Union[Task, str],
        *,
        on_progress: Optional[OnTaskProgress] = None,
        on_queue_update: Optional[OnQueueUpdate] = None,
        poll_interval: float = 2.0,
        timeout: Optional[float] = None,
    ) -> Task:
        """Returns the finished Task. Raises ``TimeoutError`` after ``timeout`` seconds; the Task keeps running."""
        id = task if isinstance(task, str) else task["id"]
        deadline = None if timeout is None else time.monotonic() + timeout
        told_progress: Optional[float] = None
        told_position: Optional[int] = None
        failures = 0
        while True:
            try:
                latest = self.get(id)
            except StemwrightError as error:
                failures += 1
                if not is_worth_retrying(error) or failures > _FAILED_POLLS_MAX:
                    raise
            else:
                failures = 0
                position = _find_position(latest)
                if on_queue_update and position is not None and position != told_position:
                    on_queue_update(position, latest)
                told_position = position
                progress = _measure_progress(latest)
                if on_progress and progress != told_progress:
                    on_progress(progress, latest)
                told_progress = progress
                if latest["completedAt"] is not None:
                    return latest
            pause = poll_interval + (make_delay(failures, None) if failures else 0)
            if deadline is not None and time.monotonic() + pause > deadline:
                raise TimeoutError(f"Task {id} did not finish within {timeout} seconds")
            time.sleep(pause)

    def save(
        self,
        task: Task,
        output: Dict[str, Any],
        path: PathLike,
        *,
        on_progress: Optional[OnProgress] = None,
    ) -> None:
        """Downloads an output to a file, atomically. Expired links are renewed, dropped connections resume by Range."""

        def renew() -> str:
            return _get_fresh_link(task, output, self.get(task["id"]))

        save_link(self._transport, output["link"], path, renew=renew, on_progress=on_progress)

    def save_all(self, task: Task, folder: PathLike) -> List[Path]:
        """Downloads all outputs into a folder and returns their paths."""
        paths = []
        for output, name in name_outputs(task):
            path = Path(os.fspath(folder)) / name
            self.save(task, output, path)
            paths.append(path)
        return paths


def _get_fresh_link(known: Task, output: Dict[str, Any], fresh: Task) -> str:
    """The output's link in a freshly loaded Task. Targets are matched by link: two may have outputs of the same name."""
    ids = {target["id"] for target in known["targets"] if any(o["link"] == output["link"] for o in target["output"])}
    for target in fresh["targets"]:
        for file in target["output"]:
            is_same = file["name"] == output["name"] and file["format"] == output["format"]
            if is_same and (not ids or target["id"] in ids):
                return file["link"]
    raise StemwrightError(f"Task {known['id']} no longer has the file {output['name']}.{output['format']}")
