from __future__ import annotations

pytest_plugins = ["ownlint.testing.plugin"]
