"""A chart of what sizes cost, on logarithmic scales, as one SVG."""

from __future__ import annotations

import math
from collections.abc import Iterable
from xml.sax.saxutils import escape

Row = tuple[str, str, dict[int, float]]
"""A name, the panel it belongs to, and seconds by size."""

WIDTH, HEIGHT, LEFT, TOP, GAP = 380, 400, 60, 50, 80
LEGEND = 14
COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22")


def draw(rows: list[Row]) -> str:
    """A panel for each language, and below it what its lines are; dashed is what n log n would cost."""
    panels = list(dict.fromkeys(panel for _, panel, _ in rows))
    known = [costs for _, _, costs in rows if costs]
    sizes = sorted({size for costs in known for size in costs})
    most = max((second for costs in known for second in costs.values()), default=1.0)
    least = min((second for costs in known for second in costs.values()), default=0.1)
    scale = _Scale(sizes[0], sizes[-1], max(least, 0.001), max(most, 1.0))
    longest = max(sum(panel == one for _, one, _ in rows) for panel in panels)
    width = LEFT + len(panels) * (WIDTH + GAP)
    height = TOP + HEIGHT + 50 + LEGEND * ((longest + 1) // 2)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"',
        ' font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for number, panel in enumerate(panels):
        out += _panel(panel, [row for row in rows if row[1] == panel], LEFT + number * (WIDTH + GAP), scale, sizes)
    return "\n".join([*out, "</svg>", ""])


class _Scale:
    def __init__(self, left: int, right: int, low: float, high: float) -> None:
        self.left, self.right = math.log(left), math.log(max(right, left + 1))
        self.low, self.high = math.floor(math.log10(low)), math.ceil(math.log10(high))

    def x(self, size: float) -> float:
        return WIDTH * (math.log(size) - self.left) / (self.right - self.left)

    def y(self, seconds: float) -> float:
        return TOP + HEIGHT * (1 - (math.log10(seconds) - self.low) / max(self.high - self.low, 1))


def _panel(name: str, rows: list[Row], left: float, scale: _Scale, sizes: list[int]) -> Iterable[str]:
    yield f'<text x="{left}" y="{TOP - 20}" font-size="14">{escape(name)}: CPU seconds by lines</text>'
    for power in range(scale.low, scale.high + 1):
        y = scale.y(10**power)
        yield f'<path d="M{left} {y:.1f}h{WIDTH}" stroke="#ddd"/>'
        yield f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{10**power:g}</text>'
    for size in sizes:
        x = left + scale.x(size)
        yield f'<path d="M{x:.1f} {TOP}v{HEIGHT}" stroke="#ddd"/>'
        yield f'<text x="{x:.1f}" y="{TOP + HEIGHT + 16}" text-anchor="middle">{size:,}</text>'
    first, last = sizes[0], sizes[-1]
    start = 10.0 ** (scale.low + 1)
    dashed = {size: start * size * math.log(size) / (first * math.log(first)) for size in (first, last)}
    yield f'<path d="{_line(dashed, left, scale)}" stroke="#000" stroke-dasharray="5 4" fill="none"/>'
    for number, (shape, _, costs) in enumerate(rows):
        colour = COLOURS[number % len(COLOURS)]
        style = f'stroke="{colour}" fill="none"' + (' stroke-width="2.5"' if number // len(COLOURS) % 2 else "")
        if costs:
            yield f'<path d="{_line(costs, left, scale)}" {style}><title>{escape(shape)}</title></path>'
        x, y = left + number % 2 * (WIDTH // 2), TOP + HEIGHT + 40 + number // 2 * LEGEND
        yield f'<path d="M{x} {y - 4}h16" {style}/><text x="{x + 22}" y="{y}">{escape(shape)}</text>'


def _line(costs: dict[int, float], left: float, scale: _Scale) -> str:
    points = (f"{left + scale.x(size):.1f} {scale.y(max(costs[size], 0.001)):.1f}" for size in sorted(costs))
    return "M" + "L".join(points)
