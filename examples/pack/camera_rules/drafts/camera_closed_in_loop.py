"""A camera is closed in a loop that opened it for all its rounds.

Opening a camera takes a second, and a closed one answers with black frames. Who closes it in the body of a loop that does
not open it gets one good frame.

bad:

```cpp
void Record(camera::Device* device, int frames) {
  for (int i = 0; i < frames; ++i) {
    Save(device);
    camera::close(device);
  }
}
```

good:

```cpp
void Record(camera::Device* device, int frames) {
  for (int i = 0; i < frames; ++i) Save(device);
  camera::close(device);
}
```

Reported: every call of `camera::close` in a loop that holds no call of `camera::open`.

Quiet where the loop opens what it closes.
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
                help="close it behind the loop",
            )
