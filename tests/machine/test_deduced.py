"""Types of expressions, where names do not say which declaration is meant."""

from __future__ import annotations

from ownlint.facts import records as r

SIBLINGS = """
struct Handler { int operator()(int) const; };
Handler bind(int result);
Handler bind(long result);
int result;
Handler fn;
int process(bool forward) {
  if (forward) {
    auto fn = bind(result);
    return fn(2);
  }
  auto result = fn(3);
  return result;
}
"""


def test_a_type_does_not_rest_on_what_is_declared_later(program, function):
    made = program(a_cc=SIBLINGS)
    process = function(made, "process")
    (returned,) = (
        one.value for one in process.statements if isinstance(one, r.Leave) and isinstance(one.value, r.Name)
    )
    assert made.types.of(returned, process) in ("int", "auto")
    assert made.types.of(r.Name(0, 0, "fn"), process) in ("Handler", "auto")
