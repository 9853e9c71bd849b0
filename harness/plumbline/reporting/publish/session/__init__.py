"""Publishes what belongs to one session alone: its run report, its timelines, and the values for comparisons."""
