"""Registries of live objects, and what keeps them true."""
