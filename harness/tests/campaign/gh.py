#!/usr/bin/env python3
"""A stand-in for the two calls of `gh` that workflows make: it starts a workflow by the API, as gh does."""

import hashlib
import json
import os
import pathlib
import sys
import urllib.request


def main(words: list[str]) -> int:
    if words[:2] == ["workflow", "run"]:
        options = dict(zip(words[3::2], words[4::2], strict=True))
        inputs = dict(value.split("=", 1) for name, value in zip(words[3::2], words[4::2], strict=True) if name == "-f")
        request = urllib.request.Request(
            f"{os.environ['GITHUB_API_URL']}/repos/{options['--repo']}/actions/workflows/{words[2]}/dispatches",
            data=json.dumps({"ref": options["--ref"], "inputs": inputs}).encode(),
            headers={
                "Authorization": f"Bearer {os.environ['GH_TOKEN']}",
                "Content-Type": "application/json",
            },
        )
        urllib.request.urlopen(request).close()
        return 0
    if words[:2] == ["attestation", "verify"]:
        digest = hashlib.sha256(pathlib.Path(words[2]).read_bytes()).hexdigest()
        signed = pathlib.Path(os.environ["STAND_IN_ARTIFACTS"], "attested").read_text().split()
        return 0 if digest in signed and "--source-digest" in words else 1
    print(f"gh: no stand-in for {words[:2]}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
