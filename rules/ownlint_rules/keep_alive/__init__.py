"""Bindings: what C++ hands to Python, and who keeps it alive."""
