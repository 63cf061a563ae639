"""Habits of naming: what words in the names of a project's own functions and classes mostly mean.

They are hints, for code that nobody has modelled: never a proof. What a library's function does, its model says.
"""

PUTS = frozenset({"add", "append", "push", "assign"})
"""Methods of a project's own containers that put something in."""
LOOKS = frozenset({"has", "exists", "lookup"})
"""Those that look whether something is in."""
