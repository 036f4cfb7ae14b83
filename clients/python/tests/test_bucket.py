"""Against a service with a bucket, whose address and key are in the environment."""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path

from stemwright import Stemwright


@unittest.skipUnless("STEMWRIGHT_BASE_URL" in os.environ, "STEMWRIGHT_BASE_URL names no service")
class Bucket(unittest.TestCase):
    def test_sends_a_file_straight_into_it(self) -> None:
        client = Stemwright()
        content = os.urandom(17 * 1024 * 1024)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "film.mp4"
            path.write_bytes(content)
            reported = []
            asset = client.assets.upload(path, direct=True, on_progress=lambda sent, total: reported.append((sent, total)))
            client.assets.save(asset, Path(folder) / "saved.mp4")
            self.assertEqual((Path(folder) / "saved.mp4").read_bytes(), content)
        self.assertEqual((asset["format"], reported[-1]), ("mp4", (len(content), len(content))))


if __name__ == "__main__":
    unittest.main()
