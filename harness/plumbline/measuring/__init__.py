"""Measuring: from the build of an artifact to the evidence of a trial, on one machine or on a cluster."""
