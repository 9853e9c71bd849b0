"""A stand-in for GitHub's API on an emulated host: documents by their path, and one configuration for whoever asks.

    python3 forge.py DOCUMENTS.json PORT

Standard library only.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

REPOSITORY = "/repos/me/plumbline"


class Handler(BaseHTTPRequestHandler):
    """One request."""

    def do_GET(self) -> None:
        documents = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
        path = self.path.removeprefix(REPOSITORY)
        if path in documents:
            self._answer(documents[path])
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer({"encoded_jit_config": "c2VjcmV0"})

    def _answer(self, document: Any) -> None:
        content = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


if __name__ == "__main__":
    HTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
