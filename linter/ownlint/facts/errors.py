"""What keeps a run from beginning."""

from __future__ import annotations


class RefusalError(Exception):
    """The run cannot begin; the text is one line for the user, with the place where there is one."""
