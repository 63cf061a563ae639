"""A trace as one page of HTML: its lines, and beside them a drawing of which event comes after which.

The page is static: no script runs in it, and it asks no network.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape
from typing import Literal, NamedTuple

from ownlint.report.sanitise import sanitise

_ROW, _LANE = 20, 10
_MOST_LANES = 24
_STYLE = """
:root { color-scheme: light dark; }
body { font: 13px/20px ui-monospace, Menlo, Consolas, monospace; margin: 1rem; }
main { display: grid; grid-template-columns: max-content 1fr; overflow-x: auto; }
svg { fill: none; stroke: light-dark(#8a8f98, #767c87); }
svg .point { fill: light-dark(#3b4cb8, #93a3ff); stroke: none; }
svg .back { stroke: light-dark(#8f5d00, #e8b653); }
pre { margin: 0; font: inherit; }
.state { color: light-dark(#0f7b6c, #5cc8b4); }
.effect, .head, .finding { color: light-dark(#63676f, #9aa0ab); }
.refuted { color: light-dark(#8f5d00, #e8b653); }
.incident { color: light-dark(#b3261e, #ff8a80); }
"""


class TraceLine(NamedTuple):
    """One line; of an event with its index, and those of the events that can come next."""

    kind: Literal["head", "state", "event", "effect", "refuted", "incident", "finding"]
    text: str
    event: int = -1
    next: tuple[int, ...] = ()


def render(title: str, lines: Sequence[TraceLine]) -> str:
    digest = base64.b64encode(sha256(_STYLE.encode()).digest()).decode()
    body = "\n".join(f'<span class="{line.kind}">{escape(sanitise(line.text))}</span>' for line in lines)
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{digest}'\">\n"
        f"<title>{escape(sanitise(title))}</title>\n<style>{_STYLE}</style>\n"
        f"<main>\n{_drawing(lines)}\n<pre>{body}</pre>\n</main>\n</html>\n"
    )


def _drawing(lines: Sequence[TraceLine]) -> str:
    """A point for each event at the height of its line, and an arc to each that can come next and stands elsewhere."""
    height = {line.event: _ROW * row + _ROW // 2 for row, line in enumerate(lines) if line.event >= 0}
    edges = {(line.event, target) for line in lines for target in line.next if target in height}
    lanes = _lanes({(height[source], height[target]) for source, target in edges if target != source + 1})
    right = _LANE * (min(max(lanes.values(), default=0), _MOST_LANES) + 1)
    parts = []
    for source, target in sorted(edges):
        start, end = height[source], height[target]
        way = f"V{end}"
        if target != source + 1:
            x = right - _LANE * min(lanes[start, end], _MOST_LANES)
            way = f"C{x} {start} {x} {start} {x} {(start + end) // 2} S{x} {end} {right} {end}"
        parts.append(f'<path{" class=back" * (target <= source)} d="M{right} {start} {way}"/>')
    parts += [f'<circle class="point" cx="{right}" cy="{y}" r="3"/>' for y in height.values()]
    return f'<svg width="{right + _LANE}" height="{_ROW * len(lines)}" aria-hidden="true">{"".join(parts)}</svg>'


def _lanes(arcs: Iterable[tuple[int, int]]) -> dict[tuple[int, int], int]:
    """How far out each arc is drawn, from 1: so that none crosses a shorter one beside it."""
    lanes: list[list[tuple[int, int]]] = []
    found: dict[tuple[int, int], int] = {}
    for arc in sorted(arcs, key=lambda arc: (abs(arc[1] - arc[0]), arc)):
        low, high = sorted(arc)
        free = (at for at, lane in enumerate(lanes) if all(high <= one or other <= low for one, other in lane))
        number = next(free, len(lanes))
        lanes[number:] = lanes[number:] or [[]]
        lanes[number].append((low, high))
        found[arc] = number + 1
    return found
