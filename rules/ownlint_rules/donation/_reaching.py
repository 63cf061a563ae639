"""What is reached from where in a graph with cycles, in one pass.

A set of nodes is a number with one bit for each: sets of thousands of nodes, one for each of thousands, stay small.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence


def bits(nodes: Iterable[str]) -> dict[str, int]:
    """One bit for each node."""
    return {node: 1 << number for number, node in enumerate(dict.fromkeys(nodes))}


def reached(edges: Mapping[str, Sequence[str]], bit: Mapping[str, int]) -> dict[str, int]:
    """For each node those that one edge or more lead to. Every node is a key of `edges` and has a bit."""
    found: dict[str, int] = {}
    for cycle in components(edges):
        together = 0
        for node in cycle:
            for other in edges[node]:
                together |= bit[other] | found.get(other, 0)
        found.update(dict.fromkeys(cycle, together))
    return found


def components(edges: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
    """The groups of nodes that reach each other, a group after all those that it reaches: Tarjan's way, without
    recursion."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    open_: dict[str, None] = {}
    for root in edges:
        if root in number:
            continue
        work = [(root, iter(edges[root]))]
        number[root] = low[root] = len(number)
        open_[root] = None
        while work:
            node, others = work[-1]
            for other in others:
                if other not in number:
                    number[other] = low[other] = len(number)
                    open_[other] = None
                    work.append((other, iter(edges[other])))
                    break
                if other in open_:
                    low[node] = min(low[node], number[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    group = [open_.popitem()[0]]
                    while group[-1] != node:
                        group.append(open_.popitem()[0])
                    yield group
