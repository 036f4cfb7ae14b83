"""A server on this machine that gives prepared answers and keeps what it was asked."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Dict, List, NamedTuple, Optional


class Request(NamedTuple):
    method: str
    path: str
    headers: Dict[str, str]
    body: bytes


class Answer(NamedTuple):
    status: int = 200
    body: Any = None
    headers: Dict[str, str] = {}
    #: Drops the connection after this many bytes of the body.
    break_after: Optional[int] = None


class ScriptedServer:
    """Gives the answers in their order, the last one for ever. An answer may be made from the request."""

    def __init__(self, *answers: Any) -> None:
        self.requests: List[Request] = []
        script = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _handle(self) -> None:
                request = Request(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, self._read())
                script.requests.append(request)
                answer = answers[min(len(script.requests), len(answers)) - 1]
                self._send(answer(request) if callable(answer) else answer)

            def _read(self) -> bytes:
                if self.headers.get("transfer-encoding") != "chunked":
                    return self.rfile.read(int(self.headers.get("content-length", 0)))
                body = b""
                while True:
                    size = int(self.rfile.readline(), 16)
                    body += self.rfile.read(size)
                    self.rfile.readline()
                    if size == 0:
                        return body

            def _send(self, answer: Answer) -> None:
                content = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
                self.send_response(answer.status)
                for name, value in {"content-length": str(len(content)), **answer.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content[: answer.break_after])
                if answer.break_after is not None:
                    self.close_connection = True

            do_GET = do_POST = do_DELETE = _handle

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def __enter__(self) -> "ScriptedServer":
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
