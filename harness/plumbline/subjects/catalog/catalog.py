"""The whole catalog: bench.toml and the variants, checked against each other."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from plumbline.model.batch import Batch
from plumbline.model.errors import UsageError
from plumbline.model.plan import SCENARIO_NAME, SUITE_NAME
from plumbline.model.subject import LONGEST_ID, Subject, has_aot_cache
from .bench import BenchSpec, HostSpec, ScenarioSpec, SuiteSpec, rotation_of
from .reading import nearest, read_toml
from .settings import SETTINGS, check_setting, in_container
from .variant import Variant, read_variant

# apps/containers/jvm.Containerfile
_JDKS_OF_IMAGES = ("auto", "temurin-")
_WRITES = re.compile(r"\b(POST|PUT|PATCH|DELETE)\b")
# The name of an operation in a table of a k6 script.
_OPERATION = re.compile(r"""^\s*(["'`])([A-Z]+ /[^"'`]*)\1\s*:""", re.MULTILINE)
# Names that such a table computes, or takes from another table.
_COMPUTED = re.compile(r"operations\[|^\s*\[.*\]\s*:|^\s*\.\.\.", re.MULTILINE)


@dataclass(frozen=True)
class Catalog:
    """Suites, scenarios, hosts and variants that can be compared. `read_catalog` makes the catalog, and checks every
    name in it.

    `guests` are the variants from outside the tree (`--app DIR`): they are measured along with any suite.
    """

    root: Path
    bench: BenchSpec
    variants: dict[str, Variant]
    guests: tuple[str, ...] = ()

    @property
    def control(self) -> Subject:
        """The control, as bench.toml states it: the subject that every session measures."""
        return self.subject(self.bench.control)

    def suite(self, name: str | None) -> tuple[str, SuiteSpec]:
        """Return a suite by name (the default one for None); raises UsageError with the nearest name."""
        chosen = name or self.bench.default_suite
        if chosen not in self.bench.suites:
            raise UsageError(f"Unknown suite '{chosen}'.", nearest(chosen, self.bench.suites))
        return chosen, self.bench.suites[chosen]

    def scenario(self, name: str) -> ScenarioSpec:
        """Return a scenario by name; raises UsageError with the nearest name."""
        if name not in self.bench.scenarios:
            raise UsageError(f"Unknown scenario '{name}'.", nearest(name, self.bench.scenarios))
        return self.bench.scenarios[name]

    def host(self, name: str) -> HostSpec:
        """Return what bench.toml says of a host; a host it does not name has the defaults."""
        return self.bench.hosts.get(name, HostSpec())

    def subject(self, text: str) -> Subject:
        """Return a subject by id, with the settings that its profile brings along and those that its variant's build
        decided, without settings that equal the defaults.

        Raises UsageError for an unknown variant, packaging, engine or setting, for a setting that the variant does not
        have, or whose value its profile decides, and for an id that is too long for a record.
        """
        subject = Subject.parse(text)
        variant = self.variant(subject.variant)
        if text.split("+")[0].count("/") < 2 and subject.engine not in variant.spec.engines:
            # An id that names no engine means the variant's first: `none` of those without a database.
            subject = subject.model_copy(update={"engine": variant.spec.engines[0]})
        variant.packaging(subject.packaging)
        subject = _with_profile(subject, variant, text)
        own = self.own_settings(variant.spec.settings)
        subject = subject.model_copy(update={"settings": dict(sorted({**own, **subject.settings}.items()))})
        if subject.engine not in variant.spec.engines:
            raise UsageError(
                f"{variant.id} has no engine '{subject.engine}'.",
                nearest(subject.engine, variant.spec.engines),
            )
        for name, value in subject.settings.items():
            check_setting(name, value, f"'{text}'")
            if (name, value) == ("otel", "agent") and has_aot_cache(subject.packaging):
                raise UsageError(
                    f"'{text}' asks for an agent and an AOT cache, and with an agent the JVM refuses the cache.",
                    f"Ask for {subject.variant}/jvm/{subject.engine}+otel=agent.",
                )
            if decided := {name, f"{name}={value}"}.intersection(variant.decided(subject.packaging)):
                raise UsageError(
                    f"{variant.id}/{subject.packaging} has no setting '{decided.pop()}': its build decided it.",
                    f"Leave it out of '{text}', or ask for {subject.variant}/jvm/{subject.engine}.",
                )
            allowed = variant.spec.settings.get(name)
            if not SETTINGS[name].of_all and allowed is None:
                raise UsageError(f"{variant.id} has no setting '{name}'.", nearest(name, variant.spec.settings))
            if isinstance(allowed, tuple) and value not in allowed:
                raise UsageError(f"{variant.id} takes no {name}={value}.", nearest(value, allowed))
        settings = self.settings_of(subject)
        if in_container(settings) and not settings.get("jdk", "auto").startswith(_JDKS_OF_IMAGES):
            raise UsageError(
                f"'{text}' asks for a JDK that has no base image: base images are Temurin's.",
                "Take jdk=auto or a build of Temurin, or leave run-in=container out.",
            )
        kept = {name: value for name, value in subject.settings.items() if self.bench.defaults[name] != value}
        subject = subject.model_copy(update={"settings": kept})
        if len(subject.id) > LONGEST_ID:
            raise UsageError(
                f"The id of '{text}' has {len(subject.id)} characters, and a record takes {LONGEST_ID}.",
                "Leave a setting out, or give the folder of the variant a shorter name.",
            )
        return subject

    def serves(self, variant: Variant, scenario: str) -> bool:
        """Return whether a variant serves the operation that a scenario loads."""
        scenario_spec, spec = self.scenario(scenario), variant.spec
        if scenario_spec.workload not in spec.workloads or (
            scenario_spec.only_on and spec.serves_on not in scenario_spec.only_on
        ):
            return False
        return spec.serves_on != "cli" or Batch.asked_by(scenario_spec.operation) is not None

    def served(self, suite: SuiteSpec, scenarios: Sequence[str], variant: Variant) -> tuple[str, ...]:
        """Return the scenarios that a variant serves, with the load of a suite. Raises as `require_workloads` does."""
        self.require_workloads(suite.model_copy(update={"scenarios": tuple(scenarios)}), variant)
        return tuple(name for name in scenarios if self.serves(variant, name))

    def require_workloads(self, suite: SuiteSpec, variant: Variant) -> None:
        """Raise UsageError for a variant without a workload of the suite, or without a server that the load needs.

        Of a partial suite the variant may lack some workloads, but not all.
        """
        scenarios = suite.scenarios
        if suite.partial and any(self.serves(variant, scenario) for scenario in scenarios):
            scenarios = tuple(scenario for scenario in scenarios if self.serves(variant, scenario))
        for scenario in scenarios:
            workload = self.scenario(scenario).workload
            if workload not in variant.spec.workloads:
                raise UsageError(
                    f"The suite asks {variant.id} for the workload '{workload}', which it lacks.",
                    nearest(workload, variant.spec.workloads),
                )
            if variant.spec.serves_on == "cli" and Batch.asked_by(self.scenario(scenario).operation) is None:
                raise UsageError(
                    f"The suite asks {variant.id}, a program without a server, for '{scenario}', which is no batch.",
                    "It takes operations such as GET /benchmark?query=one&count=5000.",
                )
            only_on = self.scenario(scenario).only_on
            if only_on and variant.spec.serves_on not in only_on:
                raise UsageError(
                    f"The suite asks {variant.id}, which serves on {variant.spec.serves_on}, for '{scenario}', "
                    f"which is for {' and '.join(only_on)} alone.",
                    "Leave one of them out, or let the suite be partial.",
                )
        if variant.spec.serves_on == "cli" and any(phase.kind == "open" for phase in suite.phases):
            raise UsageError(
                f"The suite puts open load on {variant.id}, a program without a server.",
                "Give its suite phases of the kinds warm-up and closed alone.",
            )

    def all_subjects_of(self, suite: SuiteSpec) -> tuple[Subject, ...]:
        """Return every subject that a suite measures on any night, and the guests."""
        guests = (_plain_id(self.variants[name]) for name in self.guests)
        return tuple(dict.fromkeys(self.subject(text) for text in (*suite.subjects, *suite.rotation, *guests)))

    def rotated_in(self, suite: str) -> frozenset[str]:
        """Return the ids of the subjects in a suite's rotation; none for a suite that bench.toml lacks."""
        spec = self.bench.suites.get(suite)
        return frozenset() if spec is None else frozenset(self.subject(text).id for text in spec.rotation)

    def subjects_of_suites(self, *, wrong_on_purpose: bool = False) -> tuple[Subject, ...]:
        """Return every subject that bench.toml has in a suite, as it stands there: those held to the contract, or those
        wrong on purpose.
        """
        texts = (text for suite in self.bench.suites.values() for text in (*suite.subjects, *suite.rotation))
        subjects = (Subject.parse(text) for text in dict.fromkeys(texts))
        return tuple(
            subject for subject in subjects if bool(self.variants[subject.variant].spec.only_in) == wrong_on_purpose
        )

    def scenarios_of(self, suite: SuiteSpec, wanted: Sequence[str] = ()) -> tuple[str, ...]:
        """Return the scenarios of a suite in its order, only those `wanted` when given. Raises UsageError."""
        for name in wanted:
            if name not in suite.scenarios:
                raise UsageError(f"The suite has no scenario '{name}'.", nearest(name, suite.scenarios))
        return tuple(name for name in suite.scenarios if not wanted or name in wanted)

    def variant(self, name: str) -> Variant:
        """Return a variant by id; raises UsageError with the nearest name."""
        if name not in self.variants:
            raise UsageError(
                f"Unknown variant '{name}'.",
                nearest(name, self.variants, "`./bench systems` lists all variants."),
            )
        return self.variants[name]

    def own_settings(self, settings: Mapping[str, str | Sequence[str]]) -> dict[str, str]:
        """Return the settings of a variant that have one value, and not the default: all of its subjects have them."""
        return {
            name: allowed[0]
            for name, allowed in settings.items()
            if not isinstance(allowed, str) and len(allowed) == 1 and allowed[0] != self.bench.defaults.get(name)
        }

    def artifact_of(self, subject: Subject) -> Subject:
        """Return the subject whose id names what is built: packagings that share an artifact are built once."""
        packaging = self.variant(subject.variant).artifact_packaging(subject.packaging)
        return Subject.parse(subject.model_copy(update={"packaging": packaging}).artifact_id)

    def settings_of(self, subject: Subject) -> dict[str, str]:
        """Return every setting of a subject, the defaults included."""
        return {**self.bench.defaults, **subject.settings}

    def subjects_of(self, suite: SuiteSpec, only: Sequence[str] = (), night: date | None = None) -> tuple[Subject, ...]:
        """Return the subjects of a suite in its order and the guests; with globs `only`, those that match one of
        them.

        Without `only`, the subjects of its rotation are left out but for those of `night`; a glob may ask for any.
        Raises UsageError for a glob that matches nothing, and when a guest lacks a workload of the suite.
        """
        for name in self.guests:
            self.require_workloads(suite, self.variants[name])
        if not only:
            tonight = rotation_of(suite, night.weekday()) if night is not None else ()
            ids = (*suite.subjects, *tonight, *(_plain_id(self.variants[name]) for name in self.guests))
            return tuple(dict.fromkeys(self.subject(text) for text in ids))
        subjects = self.all_subjects_of(suite)
        for glob in only:
            if not any(selects(glob, subject.id) for subject in subjects):
                raise UsageError(f"No subject of the suite matches '{glob}'.", self._hint_for_glob(glob, subjects))
        kept = tuple(subject for subject in subjects if any(selects(glob, subject.id) for glob in only))
        return kept

    def _hint_for_glob(self, glob: str, subjects: Sequence[Subject]) -> str:
        """Return what to do about a glob that matches none of the subjects of a suite."""
        name, left_out = glob, None
        try:
            left_out = self.subject(glob).id
        except UsageError:
            name = glob.partition("/")[0]
            if name in self.variants and name not in {subject.variant for subject in subjects}:
                left_out = _plain_id(self.variants[name])
        if left_out is not None and left_out not in {subject.id for subject in subjects}:
            return (
                f'Add "{left_out}" to the `subjects` of the suite in bench.toml, or compare'
                f" without a suite: `./bench compare {name} OTHER`."
            )
        names = [name for subject in subjects for name in (subject.variant, subject.id)]
        return nearest(glob, names, "`./bench plan` lists the subjects of a suite.")


def _with_profile(subject: Subject, variant: Variant, text: str) -> Subject:
    """Return the subject with the settings that its profile brings along.

    Raises UsageError where the subject has another value for one of them.
    """
    profile = subject.settings.get("profile", "")
    profile_settings = variant.spec.profile.get(profile, {})
    for name, value in profile_settings.items():
        if subject.settings.get(name, value) != value:
            raise UsageError(
                f"'{text}': profile={profile} of {variant.id} brings {name}={value} along.",
                f"Leave '{name}' out, or ask for another profile.",
            )
    return subject.model_copy(update={"settings": dict(sorted({**profile_settings, **subject.settings}.items()))})


def _plain_id(variant: Variant) -> str:
    """Return the id of a variant with its first packaging and engine, without settings."""
    return f"{variant.id}/{next(iter(variant.spec.packaging))}/{variant.spec.engines[0]}"


def selects(glob: str, id_: str) -> bool:
    """Return whether a glob of `--only` selects a subject: by its id, or by the name of its variant."""
    return fnmatch.fnmatchcase(id_, glob) or id_.split("/")[0] == glob


def read_catalog(root: Path, extra_apps: Iterable[Path] = ()) -> Catalog:
    """Read bench.toml and all variants below `root`/apps, and those in the folders `extra_apps` (`--app DIR`).

    Raises UsageError for the first thing that is wrong.
    """
    bench = read_toml(root / "bench.toml", BenchSpec, "bench.toml")
    variants: dict[str, Variant] = {}
    folders = sorted(path.parent for path in (root / "apps").glob("*/variant.toml"))
    guests = tuple(extra_apps)
    for folder in [*folders, *guests]:
        variant = read_variant(folder)
        if variant.id in variants:
            raise UsageError(f"Two variants are called '{variant.id}'.", f"Rename the folder {folder}.")
        variants[variant.id] = variant
    catalog = Catalog(root, bench, variants, tuple(dict.fromkeys(folder.name for folder in guests)))
    _check_references(catalog)
    _check_scenarios(catalog)
    return catalog


def _check_references(catalog: Catalog) -> None:
    bench = catalog.bench
    for name, value in bench.defaults.items():
        check_setting(name, value, "bench.toml: [defaults]")
    for name in SETTINGS:
        if name not in bench.defaults:
            raise UsageError(f"bench.toml: [defaults] lacks '{name}'.", f"It takes {SETTINGS[name].values}.")
    for key in ("default_suite", "compare_suite", "quick_suite"):
        suite = getattr(bench, key)
        if suite is not None and suite not in bench.suites:
            raise UsageError(f"bench.toml: '{key}' names no suite: '{suite}'.", nearest(suite, bench.suites))
    for kind, form, names in (("scenario", SCENARIO_NAME, bench.scenarios), ("suite", SUITE_NAME, bench.suites)):
        for name in names:
            if not re.fullmatch(form, name):
                raise UsageError(
                    f"bench.toml: no record can carry '{name}' as the name of a {kind}.",
                    "Write it in a-z, 0-9 and dashes, 60 characters at most.",
                )
    for name, suite in bench.suites.items():
        if suite.hosted is not None and suite.hosted not in bench.suites:
            raise UsageError(
                f"bench.toml: 'hosted' of suite '{name}' names no suite: '{suite.hosted}'.",
                nearest(suite.hosted, bench.suites),
            )
        for text in (*suite.subjects, *suite.rotation, bench.control):
            try:
                variant = catalog.variant(catalog.subject(text).variant)
                if variant.spec.only_in and name not in variant.spec.only_in:
                    raise UsageError(
                        f"{variant.id} is wrong on purpose, for {' and '.join(variant.spec.only_in)} alone.",
                        "Take another subject.",
                    )
                catalog.require_workloads(suite, variant)
            except UsageError as error:
                raise UsageError(f"bench.toml: suite '{name}': {error.problem}", error.next_step) from error


def _check_scenarios(catalog: Catalog) -> None:
    reads_only = catalog.variant(catalog.control.variant).spec.reads_only
    for name, scenario in catalog.bench.scenarios.items():
        script = catalog.root / "k6" / "scenarios" / scenario.script
        if not script.is_file():
            raise UsageError(f"bench.toml: scenario '{name}' names the missing script '{scenario.script}'.", "")
        operation_of_control = scenario.control_operation or scenario.operation
        if scenario.workload in reads_only and _WRITES.search(operation_of_control):
            raise UsageError(
                f"bench.toml: scenario '{name}' asks the control for '{operation_of_control}', and the control only "
                f"reads {scenario.workload}.",
                "Set 'control_operation' to an operation of the script that reads.",
            )
        text = script.read_text(encoding="utf-8", errors="replace")
        written = {operation for _, operation in _OPERATION.findall(text)}
        # Of operations that a script imports or computes, k6 names the missing operation.
        if not written or _COMPUTED.search(text):
            continue
        # A mix has its use cases in place of an operation, for the control too.
        mixed = tuple(request for use_case in scenario.use_cases for request in use_case.requests)
        loaded = {*(mixed or (scenario.operation,)), scenario.control_operation or ""} - {""}
        for operation in sorted(loaded - written):
            raise UsageError(
                f"bench.toml: scenario '{name}' asks for '{operation}', which stands nowhere in {scenario.script}.",
                nearest(operation, sorted(written)),
            )
