"""The measures of `runner-setup/measures`, loaded from where they lie."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from plumbline.model.errors import UsageError
from plumbline.model.host import Condition

# The folder is no part of the package: an install owned by root uses it without the harness.
_NAME = "plumbline_measures"


def load(folder: Path) -> ModuleType:
    """Return the package in `folder`: `MEASURES` and `face.Roots`. Raises UsageError when it is not there."""
    loaded = sys.modules.get(_NAME)
    if loaded is not None and loaded.__path__ == [str(folder)]:
        return loaded
    init = folder / "__init__.py"
    if not init.is_file():
        raise UsageError(f"{folder} is missing.", "Clone the whole repository.")
    for name in [name for name in sys.modules if name == _NAME or name.startswith(f"{_NAME}.")]:
        del sys.modules[name]
    spec = importlib.util.spec_from_file_location(_NAME, init, submodule_search_locations=[str(folder)])
    assert spec is not None and spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[_NAME] = package
    spec.loader.exec_module(package)
    return package


def condition(measure: Any, roots: Any) -> Condition:
    """Return the condition that a measure reads below `roots`."""
    reading = measure.check(roots)
    return Condition(
        id=measure.ID,
        title=measure.TITLE,
        why=measure.WHY,
        needed_for=measure.NEEDED_FOR,
        verdict=reading.verdict,
        reading=reading.reading,
        command=reading.command,
    )
