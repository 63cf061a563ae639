"""A member is left leading to memory that was released.

bad:

```cpp
```
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, members, rule


@rule(severity="error", cwe=(415, 416))
def member_left_dangling(function: Function) -> Iterator[Finding]:
    for one in members.left(function):
        where = "where it throws" if one.exit.thrown else "where it returns"
        again = "released again" if one.trouble.what == "ended again" else "used"
        yield function.finding(
            function.flow.events[one.ended.at],
            f"`{one.name}` is left dangling by `{function.name}` {where}, and {again} by `{one.then.name}`",
            certainty=one.certainty,
            help=f"set `{one.name}` to null where it is released, or release it once nothing can fail any more",
            steps=(
                function.step(one.exit.at, f"`{one.name}` still leads there where `{function.name}` is left here"),
                one.then.step(one.trouble.at, f"{again} here"),
            ),
        )
