"""Plumbline: benchmarks of JVM web frameworks that anyone can check.

The rooms of this package are the stages of its pipeline, and each imports only what lies before it:

    model -> host -> catalog -> tools -> plan -> build -> services -> place -> launch -> observe -> load -> run
    model -> stats -> figures -> judge -> record -> report

`cli` stands on top of all of them. `harness/tests/test_rooms.py` holds this order.
"""
