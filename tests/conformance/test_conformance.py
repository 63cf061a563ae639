"""Every cell is as `holes.toml` says: what is found stays found, and a hole that is closed is taken out of it."""

from __future__ import annotations

import pytest
import table


def _unlike(kind: str, what: str, now: set[str]) -> list[str]:
    listed = set(table.holes().get(kind, {}).get(what, ()))
    return [
        *(f"{kind}, {name}: {what}, and not listed in holes.toml" for name in sorted(now - listed)),
        *(f"{kind}, {name}: no longer {what}: take it out of holes.toml" for name in sorted(listed - now)),
    ]


@pytest.mark.parametrize("name", table.kinds())
def test_found_and_silent_as_listed(name: str) -> None:
    cells = table.run(table.kinds()[name]).values()
    wrong = _unlike(name, "missed", {cell.feature for cell in cells if not cell.found})
    wrong += _unlike(name, "loud", {cell.feature for cell in cells if cell.loud})
    assert not wrong, "\n".join(wrong)


def test_a_table_of_many_features() -> None:
    assert table.holes().keys() <= table.kinds().keys()
    for language in ("cpp", "python"):
        assert len(table.features(language)) >= 45


def test_twins_are_not_alike() -> None:
    """Each pair of programs differs, and the guilty one has a place where its bug can be told."""
    for kind in table.kinds().values():
        for feature in table.features(kind.language).values():
            if not feature.is_for(kind):
                continue
            guilty, innocent = (list(feature.program(kind, side).files()) for side in (True, False))
            assert [block.text for block, _ in guilty] != [block.text for block, _ in innocent], feature.name
            assert any(lines for _, lines in guilty), feature.name
