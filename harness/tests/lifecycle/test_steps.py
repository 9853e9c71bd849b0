"""The values of a run of each step, with a Maven whose behaviour each test chooses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from plumbline.machine.tools.native_image import NativeImage
from plumbline.measuring.build.builder import Unavailable
from plumbline.measuring.lifecycle.step_context import StepContext
from plumbline.measuring.lifecycle.steps import STEPS, development
from plumbline.model.errors import AnswerIsNo
from plumbline.model.subject import Subject
from tests.checkout import CATALOG
from tests.processes import PlainSpawner

SLEEPS = "import sys, time; time.sleep(0.2); print(sys.argv[1:])"
PACKAGES = "import os; os.makedirs('target/app', exist_ok=True); open('target/app/a', 'w').write('x' * 1000)"
FAILS = "print('[INFO] fine'); print('[ERROR] Greeter.java:[3,5] what is this'); raise SystemExit(1)"
NATIVE_LOG = Path(__file__).parents[1] / "build" / "recorded" / "native-image.txt"
# Answers with the greeting that stands in the source, and prints once how fast it started.
SERVES = """
import http.server, os, pathlib, re
source = pathlib.Path('src/main/java/Greeter.java')
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        words = re.search('"(Hello[^"]*)"', source.read_text())[1]
        body = (words + self.path.rpartition('/')[2] + '!').encode()
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *words):
        pass
server = http.server.HTTPServer(('127.0.0.1', int(os.environ['HTTP_PORT'])), Handler)
print('x started in 1.250s', flush=True)
server.serve_forever()
"""

Grounds = Callable[..., StepContext]


def test_a_build_is_timed_offline_from_a_clean_folder(step_context: Grounds, spawner: PlainSpawner) -> None:
    result = STEPS["compile"].run(step_context(SLEEPS))
    assert 0.2 <= result.values["compile_s"] < 30
    assert result.command_line[-3:] == ("--offline", "clean", "compile")
    role, _, env = spawner.calls[0]
    assert role == "app"
    assert env["JAVA_HOME"] == "/jdk" and "MAVEN_ARGS" not in env


def test_an_engine_that_is_not_the_first_is_built_for(step_context: Grounds) -> None:
    context = step_context(SLEEPS)
    subject = context.job.subject.model_copy(update={"engine": "mysql"})
    context.job.subject = subject  # type: ignore[misc]
    result = STEPS["compile"].run(context)
    assert result.command_line[-4:] == ("--offline", "-Dengine=mysql", "clean", "compile")


def test_the_first_block_may_download(step_context: Grounds) -> None:
    assert "--offline" not in STEPS["compile"].run(step_context(SLEEPS, discarded=True)).command_line


def test_a_package_has_a_size(step_context: Grounds) -> None:
    result = STEPS["package"].run(step_context(PACKAGES))
    assert result.values["package_bytes"] == 1000
    assert result.command_line[-2:] == ("clean", "package")


def test_a_build_that_fails_says_mavens_own_first_error(step_context: Grounds) -> None:
    with pytest.raises(AnswerIsNo, match=r"exit status 1: \[ERROR\] Greeter.java:\[3,5\] what is this"):
        STEPS["test"].run(step_context(FAILS))


def test_what_is_known_of_development_is_known_of_frameworks_that_variants_name() -> None:
    frameworks = {variant.spec.framework for variant in CATALOG.variants.values()}
    assert {*development._GOALS, *development._WITHOUT} <= frameworks


def test_development_serves_each_change_of_a_real_source(
    step_context: Grounds, spawner: PlainSpawner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(development, "SETTLE_S", 0.01)
    context = step_context(SERVES)
    result = STEPS["dev"].run(context)
    assert set(result.values) == set(STEPS["dev"].metrics)
    assert result.values["dev_self_reported_s"] == 1.25
    assert all(value > 0 for value in result.values.values())
    assert "quarkus:dev" in result.command_line
    assert spawner.started[0].poll() is not None
    assert '"Hello, "' in (context.folder / "src/main/java/Greeter.java").read_text()


def test_development_that_ends_by_itself_is_not_waited_for(step_context: Grounds) -> None:
    with pytest.raises(AnswerIsNo, match="ended by itself: no plugin"):
        STEPS["dev"].run(step_context("print('no plugin')"))


def test_a_change_that_is_never_served_ends(
    step_context: Grounds, spawner: PlainSpawner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(development, "SETTLE_S", 0.01)
    monkeypatch.setattr(development, "RELOAD_S", 0.3)
    frozen = SERVES.replace("source.read_text()", "text").replace(
        "class Handler", "text = source.read_text()\nclass Handler"
    )
    with pytest.raises(AnswerIsNo, match="did not answer 'Hello 1, Ada!'"):
        STEPS["dev"].run(step_context(frozen))
    assert spawner.started[0].poll() is not None


def test_a_native_build_has_time_peak_and_size(step_context: Grounds, spawner: PlainSpawner) -> None:
    program = (
        "import os; os.makedirs('target', exist_ok=True); open('target/runner', 'w').write('x' * 500); "
        f"print(open({str(NATIVE_LOG)!r}).read())"
    )
    image = NativeImage("mandrel", Path("/mandrel"), "Mandrel-25")
    result = STEPS["native-build"].run(step_context(program, "native.mandrel", native_image=lambda name: image))
    assert result.values["native_generate_s"] == 129
    assert result.values["native_peak_bytes"] == round(3.02 * 2**30)
    assert result.values["native_image_bytes"] == 500
    assert "-Dquarkus.native.enabled=true" in result.command_line
    environment = spawner.calls[0][2]
    assert environment["GRAALVM_HOME"] == environment["JAVA_HOME"] == "/mandrel"
    assert environment["NATIVE_IMAGE_OPTIONS"] == "-J-Xmx5120m"


def test_a_native_build_is_not_begun_without_the_memory_for_it(step_context: Grounds, spawner: PlainSpawner) -> None:
    image = NativeImage("mandrel", Path("/mandrel"), "Mandrel-25")
    context = step_context("", "native.mandrel", native_image=lambda name: image, available_bytes=5 * 2**30)
    with pytest.raises(AnswerIsNo, match=r"needs 6\.0 GiB of memory, 5\.0 GiB of it as heap, and 5\.0 GiB are"):
        STEPS["native-build"].run(context)
    assert spawner.started == []


class _Without:
    """A builder on a host without native-image."""

    def unavailable(self, subject: Subject) -> Unavailable | None:
        return None if subject.packaging == "jvm" else Unavailable(f"{subject.id} is unavailable: `install it`.")


@pytest.mark.parametrize(
    ("packaging", "step", "kind", "words"),
    [
        ("native.mandrel", "native-build", "unavailable", "`install it`"),
        ("native.mandrel", "run-128m", "unavailable", "`install it`"),
        ("native.mandrel", "compile", "none", "JVM packaging"),
        ("native.mandrel", "dev", "none", "JVM packaging"),
        ("jvm", "native-build", "none", "no native image"),
        ("jvm", "test", "none", "no tests of its own"),
    ],
)
def test_what_a_subject_lacks_is_said(step_context: Grounds, packaging: str, step: str, kind: str, words: str) -> None:
    job = step_context("").job
    subject = job.subject.model_copy(update={"packaging": packaging})
    lacking = STEPS[step].lacking(subject, job.variant, _Without())  # type: ignore[arg-type]
    assert lacking is not None
    assert lacking.kind == kind and words in lacking.why


@pytest.mark.parametrize("framework", ["spring-boot", "vertx", "jdk", "another"])
def test_who_has_no_development_mode_says_why(step_context: Grounds, framework: str) -> None:
    job = step_context("").job
    spec = job.variant.spec.model_copy(update={"framework": framework})
    variant = job.variant.model_copy(update={"spec": spec})
    lacking = STEPS["dev"].lacking(job.subject, variant, _Without())  # type: ignore[arg-type]
    assert lacking is not None and lacking.kind == "none"


def test_who_lacks_nothing_lacks_nothing(step_context: Grounds, apps: Path) -> None:
    tests = apps / "x" / "src" / "test" / "java" / "GreeterTest.java"
    tests.parent.mkdir(parents=True)
    tests.touch()
    job = step_context("").job
    builder = _Without()
    for step in ("compile", "test", "package", "dev", "run", "run-128m"):
        assert STEPS[step].lacking(job.subject, job.variant, builder) is None  # type: ignore[arg-type]
