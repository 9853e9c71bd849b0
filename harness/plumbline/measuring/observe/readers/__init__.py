"""Readings on demand, between windows because they cost more than a tick may."""
