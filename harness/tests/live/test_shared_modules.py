"""The modules that variants share pass tests of their own."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from plumbline.measuring.run.context import Context

pytestmark = pytest.mark.slow

APPS = Path(__file__).resolve().parents[3] / "apps"
MODULES = sorted(path.parents[1].name for path in APPS.glob("domain*/src/test"))


@pytest.mark.parametrize("module", MODULES)
def test_a_shared_module_passes_its_own_tests(context: Context, module: str) -> None:
    words = [str(context.maven.program), "--batch-mode", "--no-transfer-progress", "-pl", module, "-am", "test"]
    env = {**os.environ, "JAVA_HOME": str(context.jdk.home)}
    ran = subprocess.run(words, cwd=APPS, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout[-4000:]
    reports = list((APPS / module / "target" / "surefire-reports").glob("*.txt"))
    assert len(reports) == len(list((APPS / module / "src" / "test").rglob("*Test.java")))
