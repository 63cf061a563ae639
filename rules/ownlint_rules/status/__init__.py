"""Failure: what happens when something that was called did not work."""
