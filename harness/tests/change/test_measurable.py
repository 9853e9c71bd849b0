"""A comparison leaves out, with the reason, subjects that the job of a workflow can't measure."""

from __future__ import annotations

import pytest

from plumbline.subjects.catalog.catalog import Catalog, read_catalog
from plumbline.subjects.change.measurable import measurable
from tests.checkout import ROOT

PLAIN, TLS, IMAGE = "vertx-pg/jvm/pg", "vertx-pg/jvm/pg+db-tls=require", "vertx-pg/native.mandrel/pg"
COLD, CONTAINED = f"{PLAIN}+page-cache=cold", f"{PLAIN}+run-in=container"
FEWER = f"{PLAIN}+cpus=4+db-disk=200"
ROOTS = [f"{PLAIN}+{setting}" for setting in ("cpu-share=75", "cpu-share=50", "db-disk=200")]


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return read_catalog(ROOT)


@pytest.mark.parametrize(
    ("built_elsewhere", "sandbox", "kept"),
    [
        (False, False, (PLAIN, TLS, CONTAINED)),
        (True, False, (PLAIN, TLS, IMAGE, CONTAINED)),
        (True, True, (PLAIN, TLS, IMAGE)),
    ],
    ids=["a pull request", "a hosted runner", "a lab"],
)
def test_each_place_has_what_it_can_measure(
    catalog: Catalog, built_elsewhere: bool, sandbox: bool, kept: tuple[str, ...]
) -> None:
    subjects = (PLAIN, TLS, IMAGE, COLD, CONTAINED, FEWER, *ROOTS)
    assert measurable(catalog, subjects, built_elsewhere=built_elsewhere, sandbox=sandbox)[0] == kept


def test_one_sentence_says_what_is_left_out_and_why(catalog: Catalog) -> None:
    assert measurable(catalog, (PLAIN,), built_elsewhere=False, sandbox=False)[1] == ""
    _, said = measurable(catalog, (COLD, *ROOTS, IMAGE), built_elsewhere=False, sandbox=False)
    assert said == (
        f"Left out: `{COLD}`, `{ROOTS[0]}`, `{ROOTS[1]}` and 1 more, since only root may empty the page cache or limit "
        f"CPU time and disks; `{IMAGE}`, since the job that measures has no native-image."
    )
    _, said = measurable(catalog, (CONTAINED,), built_elsewhere=True, sandbox=True)
    assert said == f"Left out: `{CONTAINED}`, since the sandbox starts processes alone."
    for sandbox, why in {True: "the sandbox gives each role all", False: "a hosted runner may have fewer"}.items():
        _, said = measurable(catalog, (FEWER,), built_elsewhere=True, sandbox=sandbox)
        assert said.startswith(f"Left out: `{FEWER}`, since {why}")
