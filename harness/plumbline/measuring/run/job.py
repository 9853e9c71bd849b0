"""The job of one trial: its place in the plan, and its subject with everything that decides how it runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from plumbline.measuring.build.store import Artifact
from plumbline.model.plan import PlannedTrial, Scenario
from plumbline.model.record import Image
from plumbline.model.subject import Subject
from plumbline.subjects.catalog.variant import Variant


@dataclass(frozen=True)
class Agent:
    """The OpenTelemetry agent of a subject. `collector` takes spans by OTLP over HTTP, `http://host:4318`; without a
    collector the spans are made and dropped.
    """

    jar: Path
    collector: str | None

    @property
    def flags(self) -> tuple[str, ...]:
        """Flags of the JVM."""
        return (f"-javaagent:{self.jar}",)

    def env(self, service: str) -> dict[str, str]:
        """Return the agent's environment variables. Only spans are sent, as in study 004: metrics and logs would cost
        more.

        https://opentelemetry.io/docs/languages/java/configuration/
        """
        spans = {"OTEL_TRACES_EXPORTER": "none"}
        if self.collector is not None:
            spans = {"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_ENDPOINT": self.collector}
        return {
            **spans,
            "OTEL_SERVICE_NAME": service,
            "OTEL_METRICS_EXPORTER": "none",
            "OTEL_LOGS_EXPORTER": "none",
        }


@dataclass(frozen=True)
class Job:
    """A trial before it runs. `settings` are all settings, defaults included; `aot_cache` was trained in this session.

    `java` is the launcher of the setting `jdk`, `agent` the agent of the setting `otel`, `image` the image of the
    setting `run-in`.
    """

    trial: PlannedTrial
    scenario: Scenario
    subject: Subject
    variant: Variant
    artifact: Artifact
    settings: dict[str, str]
    java: Path
    aot_cache: Path | None = None
    agent: Agent | None = None
    image: Image | None = None

    @property
    def aot_flags(self) -> tuple[str, ...]:
        """The flags by which the JVM takes the AOT cache, or ends if the cache does not fit; none without a cache."""
        return () if self.aot_cache is None else (f"-XX:AOTCache={self.aot_cache}", "-XX:AOTMode=on")

    @property
    def run_words(self) -> tuple[str, ...]:
        """The variant's own words of the command line, after the harness's flags."""
        return self.variant.packaging(self.subject.packaging).run
