"""An argument is marked as donated but is not donated.

## What it reports

- a negative position in `donate_argnums`, also as one of several or through a constant
- a donated parameter of a `pmap` that a call passes by keyword
- a donated array of which a reduction to a number is all that is returned

## Why it is a bug

JAX accepts a negative position in `donate_argnums` and ignores it. Keyword arguments of a `pmap` are not donated
either. Nothing fails, but the program uses the memory that the donation should save twice.

## Example

bad:

```python
import jax

step = jax.jit(lambda batch, state: state, donate_argnums=-1)
```

```text
case.py:3: warning: `donate_argnums` of -1 donates nothing
  help: use a non-negative position: negative ones are accepted but ignored
```

good:

```python
import jax

step = jax.jit(lambda batch, state: state, donate_argnums=1)
```

## How to fix it

Write a non-negative position, or use `donate_argnames`. Pass the donated arguments of a `pmap` by position.

## What it does not report

- positions from zero on, and `donate_argnames`
- keyword arguments of `jit`, which are donated
- static arguments, where negative positions count from the end

## Known limitations

- A keyword argument of a `pmap` whose function is not found is not known to be the donated one.
- Whether a result has the shape of the donated argument is known of reductions to a number alone.

## Source

run on jax 0.4.30, 0.7.2 and 0.10.2 (CPU).
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
        elif place.why == "reduced":
            yield function.finding(
                place.span,
                f"`{place.message}` is marked as donated, but only a number that is computed from it is returned",
                certainty=because("type", f"harmless if `{place.shown}` has the shape of `{place.message}`")
                if place.shown
                else "certain",
                help="remove it from the donated arguments: no result can use its memory",
            )
        else:
            yield function.finding(
                place.span,
                f"`{place.message}` is passed to `{place.shown}` by keyword and is not donated",
                certainty=because("intent", "harmless if the buffer is not meant to be reused"),
                help="pass it as a positional argument",
                steps=(place.told,) if place.told is not None and place.told.message else (),
            )
