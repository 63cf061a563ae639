"""An array is used after its buffer was donated to a call.

A function that is compiled with `donate_argnums` takes the buffers of those arguments for its results. The arrays the
caller still holds are deleted, on CPU as on every other platform: to look at one raises `RuntimeError: Array has been
deleted`, to pass one on raises or, where several devices are at work, crashes the process.

bad:

```python
import jax

step = jax.jit(lambda state, batch: state + batch, donate_argnums=0)

def train(state, batches):
    for batch in batches:
        new = step(state, batch)
    return new
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

Reported: an array, or a tree of them, that is read, returned or passed on after a call it was donated to; the next
round of a loop that donates without binding the result to the same name; one array that a call gets twice; a part or
a copy of a name that was taken before; an item of what was spread into the call; a call that is made again after it
failed at run time, which has taken its arguments all the same. Donating callables are followed through decorators,
`partial`, assignments, attributes of classes, imports and re-exports, functions of the project that return one, and
functions that donate their own parameter; positions and names both count, and so do arguments passed by keyword, but
for `pmap`.

Quiet: the name is bound anew first (by the same statement, too); shape, dtype and other metadata; `f.lower(x)`,
`eval_shape`, `make_jaxpr`; functions that are traced; numpy arrays and Python scalars, which lose nothing; arguments
the compiled function never reads; code that asks `is_deleted`, expects the failure (`pytest.raises`), or runs with
donation switched off (`disable_jit`, `jax_debug_nans`); `nnx.jit`, which writes modules back in place.

Whether a donation is usable depends on the shapes of the results: where no result fits, the array survives with a
warning. That is not known here, and reported all the same: the code breaks on the day a result fits. Certain is a
finding about what surely is an array on every way; likely one about a parameter of unknown type.

Limits: items of a list under a computed index, arrays that a loop takes out of a list, and `x.T` or `x.reshape(-1)`
of one dimension (the same buffer) are not followed. What a function of the project does with a variable of another
module is not known. A closure that donates what it captures counts where it is called or handed to what repeats it.

Source: run on jax 0.4.30, 0.7.2 and 0.10.2 (CPU); jax/docs/buffer_donation.md; xla issue 22604.
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
