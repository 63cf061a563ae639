"""`python -m ownlint`."""

from __future__ import annotations

from ownlint.cli import main

if __name__ == "__main__":
    main()
