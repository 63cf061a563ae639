"""Hygiene: what costs or confuses, and breaks nothing yet."""
