"""Tests of what the statistics promise: simulated sessions go through the code that decides real sessions.

There is one file for each subject (`comparison`, `history`, `drift`), and one each for the noise of trials and of
seconds; `habits` compares with common habits. `./bench test --promises` writes the results to docs/promises.md; the
unit tests ask the same questions with fewer jobs. `benchmarks/curves.py` replays recorded curves.
"""
