"""Wasteful or confusing code that breaks nothing yet."""
