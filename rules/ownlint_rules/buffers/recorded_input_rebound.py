"""An input of a recorded graph is rebound, and the graph is replayed with the old one.

## What it reports

- a name or an attribute that is read in the block which captures, is assigned afterwards, and followed by a replay of
  the same graph, in the same function or in another method of the class.

## Why it is a bug

A graph that was captured reads the memory that its inputs had then. A name that is bound to another tensor afterwards
changes nothing for it: the replay computes with the old values, and perhaps in memory that is somebody else's by now.

## Example

bad:

```python
import torch

def run(model, batches, x):
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g):
        y = model(x)
    for batch in batches:
        x = batch.cuda()
        g.replay()
        print(y)
```

```text
case.py:8: error: `x` is reassigned, but `g` still reads the tensor it captured
  help: copy into the captured tensor: `x.copy_(..)`
```

good:

```python
import torch

def run(model, batches, x):
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g):
        y = model(x)
    for batch in batches:
        x.copy_(batch)
        g.replay()
        print(y)
```

## How to fix it

Copy into the captured tensor: `x.copy_(..)`.

## What it does not report

- `copy_` and other changes in place, what the block itself binds, other graphs, a capture that is made anew in between.

## Known limitations

- nobody has run it on a GPU. Graphs that `make_graphed_callables` makes are not known.

## Source

docs.pytorch.org, CUDA semantics, CUDA Graphs.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, because, rule
from ownlint_rules.buffers import _captures as captures


@rule(severity="error", cwe=(672,), languages=("python",))
def recorded_input_rebound(function: Function) -> Iterator[Finding]:
    for rebound in captures.of(function.program).rebound_in(function):
        recording = rebound.recording
        yield function.finding(
            rebound.at,
            f"`{rebound.place}` is reassigned, but `{recording.graph}` still reads the tensor it captured",
            certainty=because("intent", "harmless if the replay is meant to read the old input again"),
            help=f"copy into the captured tensor: `{rebound.place}.copy_(..)`",
            steps=(
                recording.function.step(recording.block.items[0].value, f"`{rebound.place}` is captured here"),
                function.step(rebound.played, f"`{recording.graph}` is replayed here"),
            ),
        )
