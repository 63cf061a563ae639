"""Bindings: keep-alives, return value policies and the lifetime of what C++ passes to Python."""
