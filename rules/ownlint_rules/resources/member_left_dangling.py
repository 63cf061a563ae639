"""A member is left leading to memory that was released.

bad:

```cpp
```
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Class, Finding, members, rule


@rule(severity="error", cwe=(415, 416))
def member_left_dangling(cls: Class) -> Iterator[Finding]:
    for one in members.left(cls):
        where = "where it throws" if one.exit.thrown else "where it returns"
        again = "released again" if one.trouble.what == "ended again" else "used"
        yield one.first.finding(
            one.first.flow.events[one.ended.at],
            f"`{one.member}` is left dangling by `{one.first.name}` {where}, and {again} by `{one.then.name}`",
            certainty=one.certainty,
            help=f"set `{one.member}` to null where it is released, or release it once nothing can fail any more",
            steps=(
                one.first.step(one.exit.at, f"`{one.member}` still leads there where `{one.first.name}` is left here"),
                one.then.step(one.trouble.at, f"{again} here"),
            ),
        )
