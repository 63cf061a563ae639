"""Registries of live objects: stale entries and unchecked inserts."""
