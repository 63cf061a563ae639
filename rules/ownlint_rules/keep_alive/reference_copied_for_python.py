"""A method returns a mutable reference, but Python receives a copy.

## What it reports

- a bound, non-const method without a policy that returns a non-const reference to a bound class; a lambda or a
  function that takes the object by a non-const reference or pointer, likewise
- a `cast` of such a reference without a policy in a lambda whose binding asks for a reference

## Why it is a bug

The default policy copies an object that is returned by reference. `Config& config()` in C++ invites the caller to
modify the object; from Python, the modification is lost with the copy.

## Example

bad:

```cpp
class Config {
 public:
  int level = 0;
};
class Engine {
 public:
  Config& config() { return config_; }
 private:
  Config config_;
};
PYBIND11_MODULE(engine, m) {
  py::class_<Config>(m, "Config").def_readwrite("level", &Config::level);
  py::class_<Engine>(m, "Engine").def("config", &Engine::config);
}
```

```text
case.cc:13: note: `Engine.config` returns a `Config&`, but Python receives a copy: changes made in Python do not
    reach the object
  help: use `py::return_value_policy::reference_internal`, or `py::return_value_policy::copy` if a copy is intended
```

good:

```cpp
class Config {
 public:
  int level = 0;
};
class Engine {
 public:
  Config& config() { return config_; }
 private:
  Config config_;
};
PYBIND11_MODULE(engine, m) {
  py::class_<Config>(m, "Config").def_readwrite("level", &Config::level);
  py::class_<Engine>(m, "Engine").def("config", &Engine::config, py::return_value_policy::reference_internal);
}
```

## How to fix it

Add `py::return_value_policy::reference_internal`, or write `copy` if a copy is meant.

## What it does not report

- const methods and const references (snapshots)
- properties, whose default is a reference
- methods that return `self` or, with pybind11, another of their arguments, and in-place operators
- objects that have nothing but shared pointers: a copy has the same state
- lambdas that return by value, and explicit policies

## Known limitations

- Whether the copy is intended is not known; this is why the rule is a note.

## Source

the policy table was run on pybind11 2.13.6 and 3.1.0 and nanobind 2.9.2 and 3.1.0: `T& f()` is copied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint import (
    Binding,
    Class,
    Finding,
    Function,
    because,
    contracts,
    places,
    records,
    rule,
    signatures,
    targets,
    text,
    types,
)

_SHARED = frozenset({"shared pointer", "intrusive pointer"})
_ITSELF = re.compile(r"__(i\w+|enter|iter|next|copy|deepcopy)__")


@rule(severity="note", yields_to=("borrow-without-keep-alive", "annotation-raises-when-called"))
def reference_copied_for_python(binding: Binding) -> Iterator[Finding]:
    said = contracts.policies_of(binding)
    if said is not None and said.written_policy()[1] is not None:
        yield from _cast_by_hand(binding)
    if said is None or binding.record.kind != "method" or _ITSELF.fullmatch(binding.name):
        return
    if said.written_policy()[1] is not None or said.effective("reference") != "copy":
        return
    if any(said.is_unknown(extra, spelled) for extra, spelled in said.extras):
        return
    signature = signatures.signature_of(binding)
    if signature is None or signature.handing != "reference" or signature.kind.const or "const" in signature.result:
        return
    target = signature.target
    if signature.kind.last not in binding.program.names.bound_types or target is None:
        return
    function = target.function
    declared = function.record if function is not None else target.declared
    if declared is None or "const" in declared.qualifiers or (function is not None and _gives_itself(function)):
        return
    framework = signatures.framework_of(binding)
    finds_first = framework is not None and framework.facts.get("registered_object") == "found first"
    if finds_first and function is not None and _gives_argument(function):
        return
    if target.first != 2 and not _takes_mutable(declared, binding):
        return
    if signature.returned is not None and _shares_state(signature.returned):
        return
    own = binding.owner is not None and signature.kind.last == binding.owner.type.rpartition("::")[2]
    if own and (function is None or not _gives_another(function)):
        return  # most likely itself
    yield binding.finding(
        binding.record,
        f"`{binding.symbol}` returns a `{signature.kind.last}&`, but Python receives a copy: changes made in Python do "
        "not reach the object",
        certainty=because("intent", "a copy may be intended"),
        help=_help(binding),
    )


def _help(binding: Binding) -> str:
    internal, copy = (signatures.spelled_policy(binding, one) for one in ("reference internal", "copy"))
    return f"use `{internal or 'reference_internal'}`, or `{copy or 'copy'}` if a copy is intended"


def _cast_by_hand(binding: Binding) -> Iterator[Finding]:
    """References that a lambda casts itself: the policy of the binding, which asks for one, does not reach them."""
    target = targets.target_of(binding)
    framework = signatures.framework_of(binding)
    said = contracts.policies_of(binding)
    if target is None or target.function is None or framework is None or said is None:
        return
    if said.effective("reference") not in ("reference", "reference internal"):
        return
    function = target.function
    for value in targets.returned_values(function):
        cast = places.strip(value)
        if not isinstance(cast, records.Call) or len(cast.args) != 1:
            continue
        if places.last_name(cast.callee) != framework.facts.get("makes_object"):
            continue
        given = places.strip(cast.args[0])
        written = binding.program.types.of(given, function) if isinstance(given, records.Call) else ""
        kind = types.parse(written)
        if not kind.reference or kind.pointers or kind.const or kind.last not in binding.program.names.bound_types:
            continue
        if framework.defaults.get("cast reference") == "copy":
            yield function.finding(
                cast,
                f"`{text(cast)}` copies the `{kind.last}`, whatever the policy of `{binding.symbol}` is",
                certainty=because("intent", "a copy may be intended"),
                help="pass the policy to the cast",
                steps=(
                    binding.step(
                        binding.record, "the binding's policy does not apply to an object that is created by hand"
                    ),
                ),
            )


def _takes_mutable(declared: records.FunctionRecord, binding: Binding) -> bool:
    """Whether a lambda or a free function takes the object that it is called on, and may change it."""
    first = types.parse(declared.parameters[0].type) if declared.parameters else None
    if first is None or binding.owner is None or first.const or not (first.reference or first.pointers):
        return False
    return first.is_placeholder or first.last == types.parse(binding.owner.type).last


def _shares_state(cls: Class) -> bool:
    """Whether a copy of an object is as good as the object: all that it has is behind shared pointers, which only
    the compiler copies."""
    fields: list[tuple[Class, records.Field]] = []
    for one in cls.ancestry:
        if len(one.bases) < len(one.record.bases) or any(_copies(made) for made in one.declarations):
            return False
        fields += ((one, field) for field in one.record.fields if not field.static)
    return bool(fields) and all(
        types.parse(field.type).is_value
        and not _SHARED.isdisjoint(cls.program.types.roles_at(field.type, one.file, one.symbol))
        for one, field in fields
    )


def _copies(made: records.FunctionRecord) -> bool:
    """Whether it is a copy constructor with a body of its own."""
    if made.kind != "constructor" or len(made.parameters) != 1 or "default" in made.qualifiers:
        return False
    given = types.parse(made.parameters[0].type)
    return given.last == made.name and given.const


def _gives_another(function: Function) -> bool:
    """Whether it answers with an element of its own, or with an object that it has just made."""
    ways_in = function.program.models.containers.ways_in | {"emplace_back"}

    def is_another(value: records.Value | None) -> bool:
        match places.strip(value):
            case records.Unary(op="*", value=inner):
                return is_another(inner)
            case records.Call(kind="new") | records.Index():
                return True
            case records.Call(callee=records.Member(name=name)):
                return name in ways_in
            case records.Name(text=name):
                writes = function.flow.writes_to((name,))
                return bool(writes) and all(is_another(write.value) for write in writes)
        return False

    left = [one.value for one in function.statements if isinstance(one, records.Leave) and one.value is not None]
    return bool(left) and all(map(is_another, left))


def _gives_argument(function: Function) -> bool:
    """Whether it answers with one of its arguments, which is an object that Python has already."""
    given = {one.name for one in function.record.parameters if not types.parse(one.type).is_value}
    left = [places.strip(one) for one in targets.returned_values(function)]
    named = [places.strip(one.value) if isinstance(one, records.Unary) and one.op == "*" else one for one in left]
    return bool(named) and all(isinstance(one, records.Name) and one.text in given for one in named)


def _gives_itself(function: Function) -> bool:
    return any(
        isinstance(one, records.Leave) and one.value is not None and text(one.value) == "*this"
        for one in function.statements
    )
