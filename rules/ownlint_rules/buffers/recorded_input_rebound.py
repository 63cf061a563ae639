"""An input of a captured CUDA graph is reassigned, but the replay still reads the old tensor.

## What it reports

- a variable that is read inside the capture, reassigned afterwards, and followed by a replay of the same graph
- the same with an attribute that another method of the class reassigns

## Why it is a bug

A captured graph reads the memory that its inputs had at capture time. Reassigning the variable does not change the
graph: the replay computes with the old values, or reads memory that something else uses by now.

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

Copy the new values into the captured tensor: `x.copy_(new)`.

## What it does not report

- `copy_` and other in-place changes
- variables that the capture itself assigns
- other graphs
- a graph that is captured again in between

## Known limitations

- The rule was not run on a GPU.
- Graphs created by `make_graphed_callables` are not known.

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
