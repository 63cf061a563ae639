"""How the cost of reading and of every C++ rule grows with a function and with a file.

    python benchmarks/growth.py [RULE ...]

Each shape is written at several sizes and checked in this process. An exponent of 1 is linear, 2 is quadratic; it is
that of the last doubling. The largest sizes are a function of 5,000 lines, twice that, and a file of 2 MB.
"""

from __future__ import annotations

import math
import platform
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ownlint import catalogue
from ownlint.finding import Crash
from ownlint.frontends.cpp import structure
from ownlint.inputs import packs
from ownlint.program.models import load
from ownlint.program.program import Program
from ownlint.rule import Rule

LINES = (1250, 2500, 5000, 10000)
BYTES = (500_000, 1_000_000, 2_000_000)

HEAD = """
class Store {
 public:
  absl::Status Run(Device* device, int n);
  absl::Status Step(int n);
  ~Store();
 private:
  absl::Mutex mu_;
  absl::flat_hash_map<int, Buffer*> table_ ABSL_GUARDED_BY(mu_);
  std::vector<Buffer*> owned_;
  bool ready_ = false;
  Buffer* last_ = nullptr;
};
Buffer* buffer_create(Device* device, int n);
void buffer_destroy(Buffer* buffer);
"""


def _run(inner: str) -> str:
    return f"{HEAD}\nabsl::Status Store::Run(Device* device, int n) {{\n{inner}\nreturn absl::OkStatus();\n}}\n"


def _body(lines: int, line: Callable[[int], str]) -> str:
    return _run("\n".join(line(number) for number in range(lines)))


def _straight(number: int) -> str:
    return f"  int v{number} = n + {number}; use(v{number});"


def _failing(number: int) -> str:
    return f"  RETURN_IF_ERROR(Step({number}));"


def _by_hand(number: int) -> str:
    return f"  if (absl::Status s{number} = Step({number}); !s{number}.ok()) return s{number};"


def _acquiring(number: int) -> str:
    if number % 3 == 0:
        return f"  Buffer* b{number} = buffer_create(device, n);"
    return (
        f"  RETURN_IF_ERROR(Step(b{number - number % 3}->size));"
        if number % 3 == 1
        else f"  buffer_destroy(b{number - 2});"
    )


def _held(number: int) -> str:
    return f"  Buffer* b{number} = buffer_create(device, n);"


def _locking(number: int) -> str:
    look = f"if (!table_.contains({number})) table_[{number}] = device->make({number});"
    return f"  {{ absl::MutexLock lock(&mu_); {look} }}"


def _flags(number: int) -> str:
    return "  ready_ = true;" if number % 2 else f"  last_ = table_[{number}]; if (!ready_) Step({number});"


def _looping(number: int) -> str:
    step = f"if (owned_[i{number}]) continue; owned_.push_back(last_);"
    return f"  for (int i{number} = 0; i{number} < n; ++i{number}) {{ {step} }}"


def _branching(number: int) -> str:
    return f"  if (n == {number}) {{ last_ = nullptr; }} else if (n > {number}) {{ Step({number}); }}"


def _switching(lines: int) -> str:
    cases = "\n".join(f"  case {number}: Step({number}); break;" for number in range(lines))
    return _run(f"switch (n) {{\n{cases}\n}}")


def _nesting(lines: int) -> str:
    """Blocks of 40 levels, one after the other."""
    block = "".join(f"if (n > {depth}) {{\n" for depth in range(20)) + "}\n" * 20
    return _run(block * (lines // 40))


def _gotos(lines: int) -> str:
    return _run("\n".join(f"  if (Step({number}).code()) goto out;" for number in range(lines)) + "\nout:")


FUNCTIONS: dict[str, Callable[[int], str]] = {
    "straight": lambda lines: _body(lines, _straight),
    "macros that return": lambda lines: _body(lines, _failing),
    "returns by hand": lambda lines: _body(lines, _by_hand),
    "acquire, fail, release": lambda lines: _body(lines, _acquiring),
    "acquired and never released": lambda lines: _body(lines, _held),
    "locks": lambda lines: _body(lines, _locking),
    "flags and calls": lambda lines: _body(lines, _flags),
    "loops": lambda lines: _body(lines, _looping),
    "branches": lambda lines: _body(lines, _branching),
    "one switch": _switching,
    "nested blocks": _nesting,
    "gotos": _gotos,
}


_SMALL = """
absl::Status Make%d(Device* device, Store* store) {
  Buffer* made = buffer_create(device, 1);
  RETURN_IF_ERROR(store->Step(1));
  buffer_destroy(made);
  return absl::OkStatus();
}
"""

_CLASS = """
class Part%d {
 public:
  explicit Part%d(Device* device) : made_(buffer_create(device, 1)) {}
  ~Part%d() { buffer_destroy(made_); }
  void Put(int key, Buffer* value) {
    absl::MutexLock lock(&mu_);
    table_[key] = value;
  }
  bool ready() const { return ready_; }
 private:
  absl::Mutex mu_;
  std::map<int, Buffer*> table_;
  Buffer* made_;
  bool ready_ = false;
};
"""


def _many(part: str, size: int) -> str:
    return HEAD + "".join(part.replace("%d", str(number)) for number in range(size // len(part)))


FILES: dict[str, Callable[[int], str]] = {
    "small functions": lambda size: _many(_SMALL, size),
    "classes": lambda size: _many(_CLASS, size),
}


def cost(text: str, rules: Sequence[Rule]) -> tuple[float, float, int]:
    """CPU seconds of reading and of the rules, and how many findings there are."""
    models = load([pack / "models" for pack in packs()])
    vocabulary = models.vocabulary()
    started = time.process_time()
    file = structure.read("made.cc", text.encode(), vocabulary)
    read = time.process_time()
    said = list(catalogue.run(rules, Program([file], models)))
    for crash in said:
        if isinstance(crash, Crash):
            sys.exit(f"{crash.rule} failed: {crash.error}")
    return read - started, time.process_time() - read, len(said)


def _table(unit: str, shapes: dict[str, Callable[[int], str]], sizes: Sequence[int], rules: Sequence[Rule]) -> None:
    print(f"\n{'':28} " + " ".join(f"{size:>9,} {unit}" for size in sizes) + "   exponent")
    for name, write in shapes.items():
        spent = [sum(cost(write(size), rules)[:2]) for size in sizes]
        grows = math.log2(spent[-1] / spent[-2])
        print(f"{name:28} " + " ".join(f"{each:>9.2f} s CPU"[: 10 + len(unit)] for each in spent) + f"   {grows:8.2f}")


def main() -> int:
    rules = [rule for rule in catalogue.load() if "cpp" in rule.languages and rule.id in (sys.argv[1:] or [rule.id])]
    print(
        f"{len(rules)} rules, Python {platform.python_version()}, {Path(__file__).name}; CPU seconds, read and checked"
    )
    cost(_body(10, _straight), rules)  # what is imported and compiled once is not what grows
    _table("lines", FUNCTIONS, LINES, rules)
    _table("bytes", FILES, BYTES, rules)
    return 0


if __name__ == "__main__":
    sys.exit(main())
