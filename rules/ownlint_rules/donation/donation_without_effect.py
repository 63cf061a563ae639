"""An argument is marked as donated, and is not donated.

A negative position in `donate_argnums` counts nothing: it is accepted, and no argument is ever donated. Arguments
that are passed to a `pmap` by keyword are not donated either. Nothing fails; the memory that the donation was to save
is used twice.

bad:

```python
import jax

step = jax.jit(lambda batch, state: state, donate_argnums=-1)
```

good:

```python
import jax

step = jax.jit(lambda batch, state: state, donate_argnums=1)
```

Reported: a negative position, also as one of several or through a constant; a donated parameter of a `pmap` that a
call passes by name.

Quiet: positions from zero on, `donate_argnames`, keyword arguments of `jit`, which do donate; static arguments, where
negative positions count from the end.

Limits: a keyword argument of a `pmap` whose function is out of sight is not known to be the donated one. Whether a
result has the shape of what is donated is not known.

Source: run on jax 0.4.30, 0.7.2 and 0.10.2 (CPU).
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, because, rule
from ownlint_rules.donation import _donations as donations


@rule(severity="warning", languages=("python",))
def donation_without_effect(function: Function) -> Iterator[Finding]:
    for place in donations.of(function.program).ineffective_in(function):
        if place.why == "negative":
            yield function.finding(
                place.span,
                f"`{place.message}` of {place.shown} donates nothing",
                help="use a non-negative position: negative ones are accepted but ignored",
            )
        else:
            yield function.finding(
                place.span,
                f"`{place.message}` is passed to `{place.shown}` by keyword and is not donated",
                certainty=because("intent", "harmless if the buffer is not meant to be reused"),
                help="pass it as a positional argument",
                steps=(place.told,) if place.told is not None and place.told.message else (),
            )
