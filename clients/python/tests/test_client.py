from __future__ import annotations

import ast
import base64
import email.utils
import hashlib
import hmac
import io
import json
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

import stemwright
from scripted_server import Answer, Request, ScriptedServer
from stemwright import Stemwright

MODELS = Answer(body={"models": []})


def fail(status: int, **headers: str) -> Answer:
    body = {"code": "UNAVAILABLE", "message": "Not now", "details": [{"path": "a", "message": "b"}], "requestId": "r1"}
    return Answer(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


class ClientTest(unittest.TestCase):
    def setUp(self) -> None:
        self.slept: list[float] = []
        for name, fake in (("time.sleep", self.slept.append), ("random.random", lambda: 0.0)):
            patch = mock.patch(f"stemwright.transport.{name}", fake)
            patch.start()
            self.addCleanup(patch.stop)

    def serve(self, *answers: object, path: str = "") -> tuple[ScriptedServer, Stemwright]:
        server = ScriptedServer(*answers)
        self.addCleanup(server.__exit__)
        return server, Stemwright(base_url=server.url + path, api_key="sw_key")


class Requests(ClientTest):
    def test_go_below_the_base_url_with_the_key(self) -> None:
        server, client = self.serve(Answer(body={"id": "t1"}), path="/audio/api/")
        self.assertEqual(client.tasks.get("t/1"), {"id": "t1"})
        self.assertEqual(server.requests[0].path, "/audio/api/tasks/t%2F1")
        self.assertEqual(server.requests[0].headers["x-api-key"], "sw_key")

    def test_take_base_url_and_key_from_the_environment(self) -> None:
        server, _ = self.serve(MODELS)
        with mock.patch.dict("os.environ", STEMWRIGHT_BASE_URL=server.url + "/x", STEMWRIGHT_API_KEY="sw_env"):
            Stemwright().models.list()
        self.assertEqual(server.requests[0].path, "/x/models")
        self.assertEqual(server.requests[0].headers["x-api-key"], "sw_env")

    def test_refuse_what_is_no_url_and_no_id(self) -> None:
        with self.assertRaisesRegex(stemwright.StemwrightError, "base_url is not a valid URL"):
            Stemwright(base_url="stems.example")
        _, client = self.serve(MODELS)
        for id in ("", ".", ".."):
            with self.assertRaises(ValueError):
                client.tasks.delete(id)

    def test_follow_no_redirect(self) -> None:
        server, client = self.serve(Answer(302, b"", {"location": "https://other.example/"}))
        with self.assertRaisesRegex(stemwright.StemwrightError, "was redirected"):
            client.models.list()
        self.assertEqual(len(server.requests), 1)

    def test_come_again_after_passing_failures(self) -> None:
        for failure in (fail(408), fail(429), fail(500), Answer(502, b"<html>"), fail(503)):
            server, client = self.serve(failure, failure, MODELS)
            self.slept.clear()
            self.assertEqual(client.models.list(), [])
            self.assertEqual(self.slept, [0.25, 0.5])
            self.assertEqual(len(server.requests), 3)

    def test_come_again_after_a_broken_answer(self) -> None:
        _, client = self.serve(MODELS._replace(break_after=3), MODELS)
        self.assertEqual(client.models.list(), [])

    def test_come_not_again_after_others(self) -> None:
        for status in (400, 401, 402, 403, 404, 409, 413):
            server, client = self.serve(fail(status))
            with self.assertRaises(stemwright.ApiError):
                client.models.list()
            self.assertEqual(len(server.requests), 1)

    def test_end_after_two_retries(self) -> None:
        server, _ = self.serve(MODELS)
        server.__exit__()
        with self.assertRaisesRegex(stemwright.ApiConnectionError, "GET http://127.0.0.1:.*refused"):
            Stemwright(base_url=server.url).models.list()
        self.assertEqual(len(self.slept), 2)

    def test_wait_as_retry_after_says(self) -> None:
        _, client = self.serve(fail(429, retry_after="7"), MODELS)
        client.models.list()
        self.assertEqual(self.slept, [7.0])
        date = email.utils.formatdate(time.time() + 30, usegmt=True)
        _, client = self.serve(fail(503, retry_after=date), MODELS)
        client.models.list()
        self.assertAlmostEqual(self.slept[1], 30, delta=2)
        server, client = self.serve(fail(429, retry_after="3600"))
        with self.assertRaises(stemwright.RateLimitError) as caught:
            client.models.list()
        self.assertEqual(caught.exception.retry_after, 3600)
        self.assertEqual(len(server.requests), 1)

    def test_have_one_idempotency_key_for_all_tries(self) -> None:
        server, client = self.serve(fail(503), Answer(body={"id": "t1"}))
        client.tasks.cancel("t1")
        client.tasks.cancel("t1")
        keys = [request.headers["idempotency-key"] for request in server.requests]
        self.assertEqual(keys[0], keys[1])
        self.assertNotEqual(keys[1], keys[2])


class Errors(ClientTest):
    def test_have_a_class_for_each_family_and_tell_what_the_answer_told(self) -> None:
        classes = {
            400: stemwright.BadRequestError,
            401: stemwright.AuthenticationError,
            402: stemwright.CreditsError,
            403: stemwright.PermissionDeniedError,
            404: stemwright.NotFoundError,
            409: stemwright.ConflictError,
            413: stemwright.BadRequestError,
            429: stemwright.RateLimitError,
            500: stemwright.ServerError,
        }
        for status, kind in classes.items():
            _, client = self.serve(fail(status))
            with self.assertRaises(kind) as caught:
                client.models.list()
            error = caught.exception
            self.assertEqual((str(error), error.status, error.code), ("Not now", status, "UNAVAILABLE"))
            self.assertEqual((error.request_id, error.details[0]["path"]), ("r1", "a"))


class Lists(ClientTest):
    def serve_tasks(self, ids: list[str]) -> Stemwright:
        def answer(request: Request) -> Answer:
            query = dict(pair.split("=") for pair in request.path.split("?")[1].split("&"))
            page = ids[int(query["skip"]) :][: int(query["take"])]
            return Answer(body=[{"id": id} for id in page], headers={"x-total-count": str(len(ids))})

        return self.serve(answer)[1]

    def test_are_walked_through(self) -> None:
        ids = [f"t{index}" for index in range(250)]
        client = self.serve_tasks(ids)
        self.assertEqual([task["id"] for task in client.tasks.list()], ids)

    def test_leave_nothing_out_while_it_is_deleted_and_show_nothing_twice(self) -> None:
        ids = [f"t{index}" for index in range(23)]
        expected, seen = list(ids), []
        for task in self.serve_tasks(ids).tasks.list(take=5):
            seen.append(task["id"])
            ids.remove(task["id"])
        self.assertEqual(seen, expected)
        ids, seen = list(expected), []
        for task in self.serve_tasks(ids).tasks.list(take=5):
            seen.append(task["id"])
            if len(seen) % 5 == 0:
                ids.insert(0, f"new{len(seen)}")
        self.assertEqual(seen, expected)


class Uploads(ClientTest):
    def test_send_a_form_again_from_its_beginning(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / 'so"ng.wav'
            path.write_bytes(b"sound" * 100_000)
            server, client = self.serve(fail(503), Answer(body={"id": "a1"}))
            reported = []
            client.assets.upload(path, on_progress=lambda sent, total: reported.append((sent, total)))
        first, second = server.requests
        self.assertEqual(first.body, second.body)
        self.assertIn(b'name="file"; filename="so%22ng.wav"', second.body)
        self.assertIn(b"sound" * 100_000, second.body)
        self.assertEqual(int(second.headers["content-length"]), len(second.body))
        self.assertEqual(reported[-1], (500_000, 500_000))

    def test_take_bytes_and_open_files(self) -> None:
        server, client = self.serve(Answer(body={"id": "a1"}))
        client.assets.upload(b"sound", name="a.wav")
        client.assets.upload(io.BytesIO(b"sound"), name="b.wav")
        self.assertIn(b'filename="a.wav"', server.requests[0].body)
        self.assertEqual(server.requests[1].headers["transfer-encoding"], "chunked")
        self.assertIn(b"\r\n\r\nsound\r\n", server.requests[1].body)

    def test_of_an_open_file_are_tried_once(self) -> None:
        server, client = self.serve(fail(503))
        with self.assertRaises(stemwright.ServerError):
            client.assets.upload(io.BytesIO(b"sound"))
        self.assertEqual(len(server.requests), 1)


class Downloads(ClientTest):
    CONTENT = bytes(range(256)) * 4

    def setUp(self) -> None:
        super().setUp()
        patch = mock.patch("stemwright.downloads.time.sleep", self.slept.append)
        patch.start()
        self.addCleanup(patch.stop)
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def make_task(self, server: ScriptedServer, link: str) -> dict:
        output = {"name": "vocals", "format": "wav", "link": f"{server.url}{link}"}
        return {"id": "t1", "targets": [{"id": "g1", "output": [output]}]}

    def send(self, break_after: int | None = None, tag: str = '"a"'):  # type: ignore[no-untyped-def]
        def answer(request: Request) -> Answer:
            start = int(request.headers.get("range", "bytes=0-")[6:-1])
            return Answer(206 if start else 200, self.CONTENT[start:], {"etag": tag}, break_after)

        return answer

    def test_go_on_where_the_connection_broke(self) -> None:
        server, client = self.serve(self.send(300), self.send(200), self.send())
        task = self.make_task(server, "/f")
        (path,) = client.tasks.save_all(task, self.folder / "stems")
        self.assertEqual(path.read_bytes(), self.CONTENT)
        self.assertEqual([request.headers.get("range") for request in server.requests], [None, "bytes=300-", "bytes=500-"])
        self.assertNotIn("x-api-key", server.requests[0].headers)

    def test_renew_a_link_that_has_expired(self) -> None:
        fresh: list[dict] = []
        server, client = self.serve(
            self.send(300), fail(403), lambda _request: Answer(body=fresh[0]), self.send()
        )
        fresh.append(self.make_task(server, "/fresh"))
        task = self.make_task(server, "/old")
        client.tasks.save(task, task["targets"][0]["output"][0], self.folder / "a.wav")
        self.assertEqual((self.folder / "a.wav").read_bytes(), self.CONTENT)
        self.assertEqual([request.path for request in server.requests], ["/old", "/old", "/tasks/t1", "/fresh"])

    def test_leave_nothing_behind_where_they_fail(self) -> None:
        server, client = self.serve(self.send(0))
        with self.assertRaises(stemwright.ApiConnectionError):
            client.tasks.save_all(self.make_task(server, "/f"), self.folder)
        self.assertEqual(list(self.folder.iterdir()), [])
        self.assertEqual(len(server.requests), 3)

    def test_lead_out_of_no_folder(self) -> None:
        server, client = self.serve(self.send())
        task = self.make_task(server, "/f")
        task["targets"][0]["output"] += [{**task["targets"][0]["output"][0], "name": "../Vocals"}] * 2
        task["targets"][0]["output"] += [{**task["targets"][0]["output"][0], "format": "ultrastar"}]
        names = [path.name for path in client.tasks.save_all(task, self.folder)]
        self.assertEqual(names, ["vocals.wav", ".._Vocals.wav", ".._Vocals-2.wav", "vocals.ultrastar.txt"])


class Waiting(ClientTest):
    def make_task(self, progress: float, completed: str | None = None, position: int = 0) -> Answer:
        target = {"id": "g1", "status": "completed" if completed else "processing", "output": []}
        if not completed:
            target.update(progress=progress, queuePosition=position)
        return Answer(body={"id": "t1", "completedAt": completed, "targets": [target]})

    def test_tells_of_progress_and_the_line(self) -> None:
        _, client = self.serve(
            self.make_task(0, position=2), fail(503), self.make_task(0.5), self.make_task(0.5), self.make_task(1, "now")
        )
        progress, positions = [], []
        with mock.patch("stemwright.tasks.time.sleep"):
            task = client.tasks.wait(
                "t1",
                on_progress=lambda part, _task: progress.append(part),
                on_queue_update=lambda position, _task: positions.append(position),
            )
        self.assertEqual((progress, positions, task["completedAt"]), ([0, 0.5, 1], [2, 0], "now"))

    def test_of_a_run_cancels_when_its_time_is_over(self) -> None:
        server, client = self.serve(self.make_task(0))
        with self.assertRaises(TimeoutError):
            client.tasks.run({"assetId": "a1"}, [], timeout=0.01, webhook_url="https://b")
        self.assertEqual(server.requests[-1].path, "/tasks/t1/cancel")
        self.assertEqual(
            json.loads(server.requests[0].body), {"targets": [], "assetId": "a1", "webhookUrl": "https://b"}
        )


class Unwrapping(unittest.TestCase):
    SECRET = "whsec_" + base64.b64encode(bytes(32)).decode()
    BODY = '{"id": "t1", "metadata": "ö"}'.encode()

    def sign(self, at: float) -> dict[str, str]:
        digest = hmac.new(bytes(32), f"d1.{int(at)}.".encode() + self.BODY, hashlib.sha256).digest()
        signature = f"v1,{base64.b64encode(digest).decode()}"
        return {"Webhook-Id": "d1", "Webhook-Timestamp": str(int(at)), "Webhook-Signature": f"v1,AAAA {signature}"}

    def test_gives_the_task_of_a_signed_call(self) -> None:
        client = Stemwright(webhook_secret=self.SECRET)
        self.assertEqual(client.webhooks.unwrap(self.BODY, self.sign(time.time()))["id"], "t1")

    def test_refuses_all_others(self) -> None:
        now = time.time()
        cases = [
            (self.BODY + b" ", self.sign(now)),
            (self.BODY, self.sign(now - 400)),
            (self.BODY, {**self.sign(now), "Webhook-Id": "d2"}),
            (self.BODY, {**self.sign(now), "Webhook-Timestamp": "soon"}),
            (self.BODY, {**self.sign(now), "Webhook-Signature": "v1,ö"}),
            (self.BODY, {}),
        ]
        for body, headers in cases:
            with self.assertRaises(stemwright.WebhookSignatureError):
                stemwright.unwrap_webhook(body, headers, self.SECRET)


class Sources(unittest.TestCase):
    def test_are_written_in_python_3_9(self) -> None:
        for path in Path(stemwright.__file__).parent.glob("*.py"):
            ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))


if __name__ == "__main__":
    unittest.main()
