"""Verdicts on numbers: statistics, the contract that answers are held against, figures, and the referee."""
