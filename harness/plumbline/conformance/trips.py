"""Counts the network round trips to the database that a request of each operation takes.

The statements of an operation are alike in all variants (apps/contract/budgets.toml), its round trips are not: some
drivers send BEGIN along with the first statement, others wait for its answer.
"""

from __future__ import annotations

from collections.abc import Mapping

from plumbline.contract.budgets import QueryBudget
from plumbline.model.errors import AnswerIsNo
from plumbline.run.job import Job
from plumbline.run.testbed import Testbed
from .checks import REQUESTS, ask_for
from .proxy import behind, proxied
from .serving import on_one_connection, serving


def round_trips(testbed: Testbed, job: Job, budgets: Mapping[str, QueryBudget]) -> dict[str, float]:
    """Return the round trips a request of each operation with statements that the subject serves, by operation.

    They are counted on its only connection, over as many requests as have their statements counted, after as many
    others: drivers prepare a statement when they see it first. Raises AnswerIsNo for a request that is refused.
    """
    found: dict[str, float] = {}
    with proxied(testbed) as proxy, serving(behind(testbed, proxy), on_one_connection(job)) as served:
        for operation, wanted in budgets.items():
            if not served.serves(operation) or not wanted.transactions:
                continue
            refused = list(ask_for(served, operation, wanted))
            before = proxy.trips
            refused += ask_for(served, operation, wanted, REQUESTS)
            if refused:
                raise AnswerIsNo(refused[0], "./bench check-variant says what else falls short.")
            found[operation] = (proxy.trips - before) / REQUESTS
    return found
