"""A keep-alive has no effect.

## What it reports

- `keep_alive<0, N>` on a constructor, a factory or a function that returns nothing
- a `keep_alive` or `call_guard` of pybind11 next to the getter of `def_property*`, or on `def_readwrite` and
  `def_readonly`
- a `keep_alive` with the same index twice

## Why it is a bug

`keep_alive<nurse, patient>` counts the result as 0. The result of a constructor or a void function is None, and a
keep-alive that names it is ignored silently. pybind11 also ignores one that is next to a property's getter. The
object that was to be kept alive is freed while it is in use.

## Example

bad:

```cpp
class Engine;
class Car;
PYBIND11_MODULE(cars, m) {
  py::class_<Engine>(m, "Engine");
  py::class_<Car>(m, "Car").def(py::init<Engine&>(), py::keep_alive<0, 1>());
}
```

```text
case.cc:5: warning: `py::keep_alive<0, 1>()` on the constructor of `Car` keeps nothing alive
  help: the constructed object has index 1: write `keep_alive<1, 2>`
```

good:

```cpp
class Engine;
class Car;
PYBIND11_MODULE(cars, m) {
  py::class_<Engine>(m, "Engine");
  py::class_<Car>(m, "Car").def(py::init<Engine&>(), py::keep_alive<1, 2>());
}
```

## How to fix it

For a constructor write `keep_alive<1, N>`. For a property of pybind11 pass it to the getter: `py::cpp_function(getter,
py::keep_alive<0, 1>())`. `--fix --unsafe-fixes` makes these changes.

## What it does not report

- nanobind properties, where keep-alives take effect
- keep-alives and policies inside or after `cpp_function`
- results that are None only sometimes, and callables whose result is not known
- cases where the object surely points into what is not kept alive: `borrow-without-keep-alive` or
  `argument-stored-without-keep-alive` reports them as errors

## Known limitations

- Extras that come from a parameter of the enclosing function, or from a pack, are not known.

## Source

run on pybind11 2.13.6 and 3.1.0 and nanobind 2.9.2 and 3.1.0; `keep_alive_impl` returns early when the nurse or the
patient is None. pybind11 refuses to compile `keep_alive` on a property from 3.0.2 on.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import (
    Binding,
    Certainty,
    Edit,
    Finding,
    Fix,
    Span,
    because,
    contracts,
    policies,
    records,
    releases,
    rule,
    signatures,
)


@rule(
    severity="warning",
    cwe=(416,),
    yields_to=("borrow-without-keep-alive", "argument-stored-without-keep-alive"),
    fixable=True,
)
def keep_alive_without_effect(binding: Binding) -> Iterator[Finding]:
    said = contracts.policies_of(binding)
    if said is None:
        return
    for extra in said.beside_getter():
        yield _beside(binding, said, extra)
    keeps = [keep for keep in said.keep_alives() if not said.is_ignored(keep.extra)]
    signature = signatures.signature_of(binding) if keeps else None
    for keep in keeps:
        if keep.nurse == keep.patient:
            yield binding.finding(
                keep.extra,
                f"`{keep.extra.text}` on `{binding.symbol}` makes an object keep itself alive",
                help="remove it",
            )
        elif 0 in (keep.nurse, keep.patient) and signature is not None and signature.is_void:
            yield _of_none(binding, keep, signature)


def _of_none(binding: Binding, keep: policies.KeepAlive, signature: signatures.Signature) -> Finding:
    constructs = binding.record.kind == "init" and binding.owner is not None
    where = f"the constructor of `{binding.owner.name}`" if constructs and binding.owner else f"`{binding.symbol}`"
    why = "" if constructs else ": it returns nothing"
    extra = keep.extra
    patient = max(keep.patient, keep.nurse, 2)
    help = "remove it"
    fix = None
    certainty: Certainty = "certain"
    if not signatures.has_object_beside_self(binding, signature):
        certainty = because("guess", "harmless: no argument is an object that could be kept alive")
    elif keep.nurse == 0:
        name = extra.text.partition("<")[0].rpartition("::")[2]
        help = f"the constructed object has index 1: write `{name}<1, {patient}>`"
        fix = contracts.renumbered(binding, keep, 1, patient)
    message = f"`{extra.text}` on {where} keeps nothing alive{why}"
    return binding.finding(extra, message, certainty=certainty, help=help, fix=fix)


def _beside(binding: Binding, said: policies.Policies, extra: records.Extra) -> Finding:
    framework = said.framework
    since = framework.facts.get("keep_alive_on_property_refused_since", "")
    refused = bool(since) and releases.is_before(binding.program, framework, since) is False
    how = "refused" if refused else "ignored"
    where = "next to a property's getter" if said.is_property else "on a field"
    wrapper = framework.spelling.wrappers[0] if framework.spelling.wrappers else ""
    return binding.finding(
        extra,
        f"`{extra.text}` on `{binding.symbol}` is {how} {where}",
        help=_belongs(said, extra, wrapper),
        fix=_moved(binding, said, extra, wrapper),
    )


def _belongs(said: policies.Policies, extra: records.Extra, wrapper: str) -> str:
    """On a getter the result (0) is the nurse and the object (1) the patient; a setter's argument has index 2."""
    ends = next(((keep.nurse, keep.patient) for keep in said.keep_alives() if keep.extra == extra), None)
    if ends == (1, 0):
        turned = extra.text.partition("<")[0] + "<0, 1>()"
        return f"write `{wrapper}(getter, {turned})`, so that the result keeps the object alive"
    accessor = "setter" if ends is not None and 2 in ends else "getter"
    return f"pass it to the function: `{wrapper}({accessor}, {extra.text})`"


def _moved(binding: Binding, said: policies.Policies, extra: records.Extra, wrapper: str) -> Fix | None:
    """The getter inside the wrapper, and the extra with it; where it is about the getter alone."""
    getter = binding.record.callable
    wrapped = any(each.name in said.framework.spelling.wrappers for each in binding.record.extras)
    is_getters = extra.text.endswith("()") and any(
        keep.extra == extra and (keep.nurse, keep.patient) == (0, 1) for keep in said.keep_alives()
    )
    if getter is None or signatures.is_in_macro(said.binding) or wrapped or not is_getters or not said.is_property:
        return None
    after = sorted([n for n in (binding.record.setter, *binding.record.extras) if n is not None], key=lambda n: n.start)
    before = next((one.end for one in reversed(after) if one.end <= extra.start), getter.end)
    space = signatures.spelled_namespace(binding.file, said.framework)
    edits = (
        Edit(binding.path, Span(getter.start, getter.start), f"{space}{wrapper}("),
        Edit(binding.path, Span(getter.end, getter.end), f", {extra.text})"),
        Edit(binding.path, Span(before, extra.end), ""),
    )
    return Fix("pass the keep-alive to the getter", edits)
