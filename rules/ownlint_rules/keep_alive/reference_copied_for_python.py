"""A method returns a mutable reference, and Python gets a copy.

The default policy copies what is returned by reference. `Config& config()` in C++ is an invitation to write; from
Python, what is written is lost with the copy.

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

Reported: a bound method that is not const, returns a bound class by a reference that is not const, and has no policy.

Quiet: const methods and const references (snapshots), properties (their default refers), methods that return their own
object (Python finds it again), in-place operators, lambdas that answer by value, policies that are written.

Limits: that the copy was meant cannot be seen; that is why this is a note.

Source: the policy table was run on pybind11 2.13.6 and 3.1.0 and nanobind 2.9.2 and 3.1.0: `T& f()` is copied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint import Binding, Finding, Function, because, contracts, records, rule, signatures, text

_ITSELF = re.compile(r"__(i\w+|enter|iter|next|copy|deepcopy)__")


@rule(severity="note", yields_to=("borrow-without-keep-alive", "annotation-raises-when-called"), usually="likely")
def reference_copied_for_python(binding: Binding) -> Iterator[Finding]:
    said = contracts.policies_of(binding)
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
    if signature.kind.last not in binding.program.names.bound_types or target is None or target.first != 2:
        return
    function = target.function
    declared = function.record if function is not None else target.declared
    if declared is None or "const" in declared.qualifiers or (function is not None and _gives_itself(function)):
        return
    if binding.owner is not None and signature.kind.last == binding.owner.type.rpartition("::")[2]:
        return  # most likely itself
    yield binding.finding(
        binding.record,
        f"`{binding.symbol}` returns a `{signature.kind.last}&`, of which Python gets a copy",
        certainty=because("likely", "a copy may be meant"),
        help="use the policy `reference_internal`, or `copy` to say that a copy is meant",
    )


def _gives_itself(function: Function) -> bool:
    return any(
        isinstance(one, records.Leave) and one.value is not None and text(one.value) == "*this"
        for one in function.statements
    )
