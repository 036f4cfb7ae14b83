"""Against a service, whose address and key are in the environment. A song lies at SONG_PATH."""

from __future__ import annotations

import filecmp
import os
import tempfile
import time
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, Dict, Iterator
from unittest import mock

import stemwright
from stemwright import Stemwright, pieces

TARGETS = [{"model": "vocals", "formats": ["wav", "mp3"]}, {"model": "drums", "formats": ["wav"]}]


@unittest.skipUnless("STEMWRIGHT_BASE_URL" in os.environ, "STEMWRIGHT_BASE_URL names no service")
class Service(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Stemwright()
        self.song = Path(os.environ["SONG_PATH"])
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def test_goes_from_a_file_to_its_stems(self) -> None:
        progress = []
        task = self.client.tasks.run(
            self.song, TARGETS, metadata="mine", poll_interval=0.1, on_progress=lambda part, _task: progress.append(part)
        )
        self.assertEqual([target["status"] for target in task["targets"]], ["completed", "completed"])
        self.assertEqual((task["metadata"], progress[-1]), ("mine", 1))
        paths = self.client.tasks.save_all(task, self.folder / "stems")
        self.assertEqual([path.name for path in paths], ["vocals.wav", "vocals.mp3", "drums.wav"])
        self.assertEqual({path.read_bytes() for path in paths}, {b"stem"})
        self.assertIn(task["id"], [known["id"] for known in self.client.tasks.list()])
        self.assertEqual(self.client.tasks.delete(task["id"]), {"id": task["id"]})

    def test_renews_links_that_are_no_longer_good(self) -> None:
        asset = self.client.assets.upload(self.song)
        self.client.assets.save({**asset, "link": asset["link"] + "0"}, self.folder / "again.wav")
        self.assertEqual((self.folder / "again.wav").read_bytes(), self.song.read_bytes())

    def test_takes_uploads_of_every_kind(self) -> None:
        content = self.song.read_bytes()
        with open(self.song, "rb") as file:
            for source in (self.song, str(self.song), content, file):
                asset = self.client.assets.upload(source, name="lied ö.wav")
                self.assertEqual((asset["name"], asset["size"]), ("lied ö.wav", len(content)))
                self.client.assets.delete(asset["id"])
                with self.assertRaises(stemwright.NotFoundError):
                    self.client.assets.get(asset["id"])

    def _write_film(self) -> Path:
        path = self.folder / f"film ö {len(list(self.folder.iterdir()))}.wav"
        path.write_bytes(os.urandom(2 * pieces.PIECE_BYTES + 1234))
        return path

    def _assert_whole(self, asset: Dict[str, Any], path: Path) -> None:
        self.client.assets.save(asset, self.folder / "saved.wav")
        self.assertTrue(filecmp.cmp(self.folder / "saved.wav", path, shallow=False))

    def _break_reads(self, *after: int) -> None:
        """Connections that break after these numbers of bytes, one by one."""
        limits = list(after)
        read = pieces.read_chunks

        def read_until_broken(source: Any, start: int, end: int) -> Iterator[bytes]:
            left = limits.pop(0) if limits else end
            for chunk in read(source, start, end):
                yield chunk
                left -= len(chunk)
                if left < 0:
                    raise ConnectionResetError("broken")

        patcher = mock.patch.object(pieces, "read_chunks", read_until_broken)
        patcher.start()
        self.addCleanup(patcher.stop)

    def test_resumes_large_uploads_with_the_next_byte(self) -> None:
        path = self._write_film()
        self._break_reads(3_000_000, 20_000_000, 5_000_000)
        told = []
        asset = self.client.assets.upload(path, on_progress=lambda sent, total: told.append((sent, total)))
        self._assert_whole(asset, path)
        self.assertEqual((asset["name"], told[-1]), (path.name, (asset["size"], asset["size"])))

    def test_resumes_what_another_process_left(self) -> None:
        path = self._write_film()
        self._break_reads(3_000_000)
        hasty = Stemwright(max_retries=0)
        with self.assertRaises(stemwright.ApiConnectionError):
            hasty.assets.upload(path)
        transport = hasty.assets._transport
        deadline = time.monotonic() + 10
        while True:
            (left,) = transport.load("GET", "/uploads")
            if left["offset"] > 0 and not left["isReceiving"] or time.monotonic() > deadline:
                break
        self.assertGreater(left["offset"], 0)
        asset = Stemwright().assets.upload(path)
        self.assertEqual(asset["id"], left["id"])
        self._assert_whole(asset, path)

    def test_refuses_what_the_service_does_not_offer(self) -> None:
        with self.assertRaises(stemwright.ConflictError) as caught:
            self.client.assets.upload(self.song, direct=True)
        self.assertEqual(caught.exception.code, "DIRECT_UPLOADS_OFF")

    def test_creates_estimates_and_cancels(self) -> None:
        asset = self.client.assets.upload(self.song)
        self.assertEqual(self.client.tasks.estimate(TARGETS, asset_id=asset["id"])["cost"], 2)
        with self.assertRaises(stemwright.BadRequestError) as caught:
            self.client.tasks.create([{"model": "tuba", "formats": ["wav"]}], asset_id=asset["id"])
        self.assertEqual(caught.exception.code, "MODEL_UNKNOWN")
        self.assertIn("Must be one of ", str(caught.exception))
        key = {"idempotency_key": "python-1"}
        tasks = [self.client.tasks.create(TARGETS, asset_id=asset["id"], **key) for _ in range(2)]
        self.assertEqual(tasks[0]["id"], tasks[1]["id"])
        self.client.tasks.cancel(tasks[0]["id"])
        self.assertIsNotNone(self.client.tasks.get(tasks[0]["id"])["completedAt"])

    def test_lists_models_and_refuses_a_wrong_key(self) -> None:
        self.assertIn("vocals", [model["id"] for model in self.client.models.list()])
        with self.assertRaises(stemwright.AuthenticationError):
            next(Stemwright(api_key="sw_wrong").tasks.list())

    def test_signs_webhooks_that_unwrap_takes(self) -> None:
        calls = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                calls.append((body, dict(self.headers)))
                self.send_response(204)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        with HTTPServer(("127.0.0.1", 0), Handler) as server:
            server.timeout = 30
            webhook = self.client.webhooks.set(f"http://127.0.0.1:{server.server_port}/")
            delivery = self.client.webhooks.test(webhook["id"])
            server.handle_request()
        body, headers = calls[0]
        task = self.client.webhooks.unwrap(body, headers, self.client.webhooks.secret())
        self.assertIn("targets", task)
        self.assertEqual(headers["webhook-id"], delivery["id"])
        self.assertIn(delivery["id"], [known["id"] for known in self.client.webhooks.deliveries.list()])
        self.client.webhooks.delete(webhook["id"])
