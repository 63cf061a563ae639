"""A camera is closed in a loop that opened it for all its iterations.

## What it reports

- a call of `camera::close` in a loop that contains no call of `camera::open`

## Why it is a bug

Opening a camera takes a second, and a closed one returns black frames. A loop that closes the camera without opening it
gets one good frame.

## Example

bad:

```cpp
void Record(camera::Device* device, int frames) {
  for (int i = 0; i < frames; ++i) {
    Save(device);
    camera::close(device);
  }
}
```

```text
case.cc:4: warning: `Record` closes the camera in a loop that does not open it
  help: close it after the loop
```

good:

```cpp
void Record(camera::Device* device, int frames) {
  for (int i = 0; i < frames; ++i) Save(device);
  camera::close(device);
}
```

## How to fix it

Move the call of `camera::close` after the loop.

## What it does not report

- a loop that opens the camera it closes
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, rule, text


@rule(severity="warning")
def camera_closed_in_loop(function: Function) -> Iterator[Finding]:
    if not function.mentions("close"):
        return
    flow = function.flow
    opened = [call.span.start for call in flow.calls if text(call.node.callee) == "camera::open"]
    for call in flow.calls:
        if text(call.node.callee) != "camera::close":
            continue
        loops = list(flow.loops_over(call.span.start))
        if loops and not any(loop.span.start <= at < loop.span.end for loop in loops for at in opened):
            yield function.finding(
                call,
                f"`{function.name}` closes the camera in a loop that does not open it",
                help="close it after the loop",
            )
