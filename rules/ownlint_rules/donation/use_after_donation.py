"""An array is used after its buffer was donated to a call.

## What it reports

- an array, or a tree of arrays, that is read, returned or passed on after a call it was donated to
- the next iteration of a loop that donates an array without reassigning the variable, and one array passed twice to the
  same call
- a part or a second name of a donated array, and a call that is repeated after it failed at run time

## Why it is a bug

A function compiled with `donate_argnums` reuses the buffers of those arguments for its results. The arrays of the
caller are deleted, on every platform including CPU: reading one raises `RuntimeError: Array has been deleted`, and
passing one on raises or, with several devices, crashes the process.

## Example

bad:

```python
import jax

step = jax.jit(lambda state, batch: state + batch, donate_argnums=0)

def train(state, batches):
    for batch in batches:
        new = step(state, batch)
    return new
```

```text
case.py:7: error: `state` is donated to `step` again in the next iteration without being reassigned
  help: assign the result to the same variable, donate a copy, or do not donate
```

good:

```python
import jax

step = jax.jit(lambda state, batch: state + batch, donate_argnums=0)

def train(state, batches):
    for batch in batches:
        state = step(state, batch)
    return state
```

## How to fix it

Assign the result to the same variable (`state = step(state)`), donate a copy, or do not donate. `--fix --unsafe-fixes`
assigns the result where the call is a statement of its own.

## What it does not report

- variables that are reassigned first, also by the same statement
- shape, dtype and other metadata; `f.lower(x)`, `eval_shape`, `make_jaxpr`, functions that are traced
- NumPy arrays and Python scalars, which are copied, and arguments that the compiled function never reads
- code that checks `is_deleted`, expects the failure (`pytest.raises`) or disables donation (`disable_jit`,
  `jax_debug_nans`); `nnx.jit`, which updates modules in place

## Known limitations

- Whether a donation takes effect depends on the shapes of the results. If no result fits, the array survives with a
  warning; this is reported anyway, since the code fails once a result fits.
- List items under a computed index, arrays taken out of a list in a loop, and `x.T` or `x.reshape(-1)` of one dimension
  (the same buffer) are not tracked.
- The use of a variable in another module is not known. A closure that donates what it captures counts where it is
  called, or passed to a function that repeats it.

## Source

run on jax 0.4.30, 0.7.2 and 0.10.2 (CPU); jax/docs/buffer_donation.md; xla issue 22604.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, rule
from ownlint_rules.donation import _donation as donation
from ownlint_rules.donation import _donations as donations

_HELP = "assign the result to the same variable, donate a copy, or do not donate"


@rule(severity="error", cwe=(672,), languages=("python",), fixable=True)
def use_after_donation(function: Function) -> Iterator[Finding]:
    known = donations.of(function.program)
    for misuse in known.misuses_in(function):
        if misuse.loss.how == "consumed":
            yield function.finding(
                misuse.at,
                _message(misuse),
                certainty=misuse.certainty,
                help=_HELP,
                steps=donations.steps_of(misuse),
                fix=donations.fix_of(misuse),
            )


def _message(misuse: donation.DonationMisuse) -> str:
    shown, lost, by = f"`{misuse.shown}`", f"`{misuse.loss.shown}`", f"`{misuse.loss.by}`"
    match misuse.kind:
        case "twice":
            return f"{shown} is passed twice to {by}, which donates its buffer"
        case "round":
            return f"{shown} is donated to {by} again in the next iteration without being reassigned"
        case "retry":
            return f"{shown} is used again after {by} failed, which donated its buffer anyway"
        case "again":
            return f"{shown} is donated to {by} and then passed on" if shown == lost else _part(shown, lost, by)
    return f"{shown} is used after it was donated to {by}" if shown == lost else _part(shown, lost, by)


def _part(shown: str, lost: str, by: str) -> str:
    return f"{shown} is used after {lost}, which shares its buffers, was donated to {by}"
