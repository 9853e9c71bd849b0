"""The OpenTelemetry agent beside an application, by the setting `otel`: its jar, and where its spans go."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Agent:
    """The OpenTelemetry agent of a subject. `collector` takes spans by OTLP over HTTP, `http://host:4318`; without one
    they are made and dropped.
    """

    jar: Path
    collector: str | None

    @property
    def flags(self) -> tuple[str, ...]:
        """Flags of the JVM."""
        return (f"-javaagent:{self.jar}",)

    def env(self, service: str) -> dict[str, str]:
        """Return the agent's variables, for spans alone: study 004 sent only spans, and metrics and logs would cost
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
