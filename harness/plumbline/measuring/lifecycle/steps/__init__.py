"""The steps of a life cycle, in the order in which a block runs them. To add one, copy a neighbour."""

from __future__ import annotations

from .building import BUILDING, NATIVE_BUILD
from .development import DEVELOPMENT
from .running import RUNNING
from .step import Step

STEPS: dict[str, Step] = {step.name: step for step in (*BUILDING, DEVELOPMENT, NATIVE_BUILD, *RUNNING)}
