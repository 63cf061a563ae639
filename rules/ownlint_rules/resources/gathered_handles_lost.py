"""A local container of raw handles is destroyed without releasing them.

A loop acquires one handle after the other (or makes one owner after the other give its handle up) and puts them into a
local vector or array, which is to be handed over when all are there. When one round fails, the exit loses not only the
handle of that round but all that were gathered before.

bad:

```cpp
Status Table::LoadAll(int count) {
  std::vector<Shard*> shards;
  for (int i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(std::unique_ptr<Shard> shard, Load(i));
    shards.push_back(shard.release());
  }
  shards_ = std::move(shards);
  return OkStatus();
}
```

good:

```cpp
Status Table::LoadAll(int count) {
  std::vector<std::unique_ptr<Shard>> shards;
  for (int i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(std::unique_ptr<Shard> shard, Load(i));
    shards.push_back(std::move(shard));
  }
  shards_ = std::move(shards);
  return OkStatus();
}
```

Reported where what is put in is owned there and then (made on the spot, given up by an owner, or held by a local of
which nobody else knows), the container is a local whose end does not end its elements, and a failing exit is reached
before the container, or what a loop takes from it, is handed over or released.

Quiet where a lambda or a guard object knows the container, where any call is given it that does not promise to change
nothing, and where its elements are kept elsewhere, too.

Limits: containers are those that models know, and arrays. An exit that is no failure is not reported.

Source: a review of GPU command-buffer caching in XLA.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, rule
from ownlint_rules.resources import _losing as losing


@rule(severity="error", cwe=(401,))
def gathered_handles_lost(function: Function) -> Iterator[Finding]:
    for loss in losing.losses(function):
        if loss.kind == "gathered":
            yield function.finding(
                loss.acquired,
                f"what `{loss.name}` has gathered is lost when {losing.when(function, loss)}",
                certainty=loss.certainty,
                help=f"let `{loss.name}` hold owners, or release its elements on this way",
                steps=tuple(losing.steps(function, loss, f"what `{loss.name}` holds")),
            )
