"""Collects what a session runs: artifacts, images and AOT caches by contender, or why a contender has none."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from plumbline.measuring.build.builder import BuildFailed, Unavailable
from plumbline.measuring.build.store import Artifact
from plumbline.model.comparison import Side
from plumbline.model.errors import AnswerIsNo, CannotGoOn, UsageError
from plumbline.model.plan import Plan, PlannedTrial
from plumbline.model.record import Build, Image
from plumbline.model.subject import file_slug
from .job import Job
from .progress import Progress
from .sources import Sources

Contender = tuple[Side | None, str]


def words_of(contender: Contender) -> str:
    """Return the contender in words: `vertx-pg/jvm/pg`, or `base vertx-pg/jvm/pg` with its side."""
    side, subject = contender
    return subject if side is None else f"{side} {subject}"


def file_name(contender: Contender) -> str:
    """Return the contender as the name of a file."""
    return file_slug(words_of(contender))


@dataclass
class Built:
    """The artifacts, images and caches of a session; it grows while the session prepares."""

    plan: Plan
    sources: Sources
    artifacts: dict[Contender, Artifact] = field(default_factory=dict)
    not_built: dict[Contender, str] = field(default_factory=dict)
    caches: dict[Contender, Path] = field(default_factory=dict)
    images_of: dict[Contender, Image] = field(default_factory=dict)

    def build(self, progress: Progress) -> None:
        """Build what is missing. A suite goes on without subjects that do not build.

        Raises AnswerIsNo for a comparison with a side that does not build: that is its answer. Raises UsageError if
        this host lacks a tool, CannotGoOn if nothing could be built.
        """
        for contender in self.plan.contenders:
            side, subject_id = contender
            try:
                subject = self.sources.catalog(side).subject(subject_id)
                artifact = self.sources.builder(side).build(subject)
                settings = self.sources.catalog(side).settings_of(subject)
                image = self.sources.context.image_of(subject, settings, artifact, self._commit_of(side))
                self.artifacts[contender] = artifact
                if image is not None:
                    self.images_of[contender] = image
            except Unavailable as error:
                if side is not None:
                    # A tool that this host lacks is no verdict on the sides that were to be compared.
                    raise UsageError(error.problem, error.next_step) from error
                self._leave_out(contender, error, progress)
            except BuildFailed as error:
                comparison = self.plan.comparison
                if comparison is not None and side is not None:
                    source = comparison.source(side)
                    short_commit = f" ({source.commit[:12]})" if source.kind == "ref" and source.commit else ""
                    raise AnswerIsNo(
                        f"{source.given}{short_commit} does not build: {error.problem}", error.next_step
                    ) from error
                self._leave_out(contender, error, progress)
        if not self.artifacts:
            raise CannotGoOn("No subject could be built.", "The words of Maven stand above.")

    def _commit_of(self, side: Side | None) -> str | None:
        """Return the commit that a side's artifacts are built from; None for the files of the checkout."""
        comparison, reproduced = self.plan.comparison, self.plan.reproduces
        if comparison is not None and side is not None and comparison.source(side).kind == "ref":
            return comparison.source(side).commit
        return None if reproduced is None else reproduced.commit

    def _leave_out(self, contender: Contender, error: BuildFailed, progress: Progress) -> None:
        self.not_built[contender] = error.problem
        progress.say(f"{error.problem} {error.next_step}")

    @property
    def digests(self) -> dict[str, str]:
        """The digests of build inputs and of what was built, by contender: a resumed session must find the same.

        A build need not give the same bytes again, and all trials of a contender have to run the same.
        """
        builds = {words_of(contender): artifact.build for contender, artifact in self.artifacts.items()}
        return {name: f"{build.inputs_sha256} {build.sha256}" for name, build in builds.items()}

    @property
    def builds(self) -> list[Build]:
        """The builds, one for each different artifact: sides that share an artifact built it once."""
        return list(
            {build.sha256: build for build in (artifact.build for artifact in self.artifacts.values())}.values()
        )

    @property
    def images(self) -> list[Image]:
        """The images, each different image once."""
        return list({image.sha256: image for image in self.images_of.values()}.values())

    def job(self, trial: PlannedTrial) -> Job:
        """Return the job of a trial, with the parts that were built for its contender."""
        catalog = self.sources.catalog(trial.side)
        subject = catalog.subject(trial.subject)
        scenario = self.plan.scenario_of(trial)
        return Job(
            trial=trial,
            scenario=scenario.of_control if trial.subject == self.plan.control else scenario,
            subject=subject,
            variant=catalog.variant(subject.variant),
            artifact=self.artifacts[trial.contender],
            settings=catalog.settings_of(subject),
            java=self.sources.context.java(catalog.settings_of(subject)),
            agent=self.sources.context.agent(catalog.settings_of(subject)),
            aot_cache=self.caches.get(trial.contender),
            image=self.images_of.get(trial.contender),
        )
