"""What the statistics promise, put to the test: simulated sessions through the code that decides real ones.

One file a subject (`comparison`, `history`, `drift`), one each for the noise of trials and of seconds; `replay` asks
recorded curves. `./bench test --promises` writes what they measure to
docs/promises.md; the unit tests ask the same questions with fewer jobs.
"""
