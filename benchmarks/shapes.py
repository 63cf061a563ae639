"""Shapes of code whose cost may grow faster than the code: what `growth.py` writes, and `tests` guard against hanging.

A shape takes a number of lines and gives the files of a project, by path. What is measured stands in one function
unless the name says otherwise; shapes of one long expression count operators or levels as lines.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

Files = dict[str, str]
Line = Callable[[int], str]


class Shape(NamedTuple):
    name: str
    write: Callable[[int], Files]
    most: int = 1 << 30
    """No more lines than that: what is deeper is refused by the parser."""

    @property
    def language(self) -> str:
        return "Python" if any(path.endswith(".py") for path in self.write(8)) else "C++"


# --- C++ --------------------------------------------------------------------------------------------

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


def run(inner: str) -> Files:
    """One method of the class of `HEAD`."""
    body = f"absl::Status Store::Run(Device* device, int n) {{\n{inner}\nreturn absl::OkStatus();\n}}\n"
    return {"made.cc": f"{HEAD}\n{body}"}


def lines_of(line: Line) -> Callable[[int], Files]:
    return lambda lines: run("\n".join(line(number) for number in range(lines)))


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


def _guards(number: int) -> str:
    return f"  auto c{number} = absl::MakeCleanup([&] {{ buffer_destroy(last_); }});"


def _flags(number: int) -> str:
    return "  ready_ = true;" if number % 2 else f"  last_ = table_[{number}]; if (!ready_) Step({number});"


def _looping(number: int) -> str:
    step = f"if (owned_[i{number}]) continue; owned_.push_back(last_);"
    return f"  for (int i{number} = 0; i{number} < n; ++i{number}) {{ {step} }}"


def _branching(number: int) -> str:
    return f"  if (n == {number}) {{ last_ = nullptr; }} else if (n > {number}) {{ Step({number}); }}"


def _lambdas(number: int) -> str:
    return f"  Later([this, n] {{ return Step(n + {number}); }});"


def _counted(number: int) -> str:
    if number % 3 == 0:
        return f"  PyObject* o{number} = PyLong_FromLong({number});"
    return f"  if (!o{number - 1}) return Bad();" if number % 3 == 1 else f"  Py_DECREF(o{number - 2});"


def _objects(number: int) -> str:
    return f"  py::object o{number} = py::int_({number}); use(o{number}.ptr());"


def _switching(lines: int) -> Files:
    cases = "\n".join(f"  case {number}: Step({number}); break;" for number in range(lines))
    return run(f"switch (n) {{\n{cases}\n}}")


def _else_ifs(lines: int) -> Files:
    return run(
        "if (n < 0) Step(0);\n" + "\n".join(f"  else if (n == {number}) Step({number});" for number in range(lines))
    )


def _nesting(lines: int) -> Files:
    """Blocks of 40 levels, one after the other."""
    block = "".join(f"if (n > {depth}) {{\n" for depth in range(20)) + "}\n" * 20
    return run(block * (lines // 40))


def _nested_loops(lines: int) -> Files:
    block = "".join(f"for (int i{depth} = 0; i{depth} < n; ++i{depth}) {{\n" for depth in range(8))
    return run((block + "owned_.push_back(table_[i7]);\n" + "}\n" * 8) * (lines // 17))


def _gotos(lines: int) -> Files:
    return run("\n".join(f"  if (Step({number}).code()) goto out;" for number in range(lines)) + "\nout:")


def _chained(lines: int) -> Files:
    return run("  builder" + "\n".join(f"    .add({number}, last_)" for number in range(lines)) + ";")


def _prefixes(before: str) -> Callable[[int], Files]:
    return lambda lines: run(f"  {before * (lines // len(before))}n;")


def _brackets(before: str, after: str) -> Callable[[int], Files]:
    return lambda lines: run(f"int y = {before * lines}n{after * lines};")


def _types(lines: int) -> Files:
    return run(f"std::vector<{'std::vector<' * lines}int{'>' * lines}> y;")


def _doubling(lines: int) -> Files:
    macros = "\n".join(f"#define A{number} A{number - 1} A{number - 1}" for number in range(1, lines))
    return {"made.cc": f"#define A0 Step(n);\n{macros}\n{run(f'A{lines - 1}')['made.cc']}"}


def _doubling_calls(lines: int) -> Files:
    macros = "\n".join(f"#define A{number}(x) A{number - 1}(x) A{number - 1}(x)" for number in range(1, lines))
    return {"made.cc": f"#define A0(x) Step(x);\n{macros}\n{run(f'A{lines - 1}(n)')['made.cc']}"}


def _macros(lines: int) -> Files:
    half = lines // 2
    macros = "\n".join(f"#define CHECK_{number}(x) if (!(x).ok()) return x;" for number in range(half))
    return {
        "made.cc": macros + run("\n".join(f"  CHECK_{number}(Step({number}));" for number in range(half)))["made.cc"]
    }


def _conditionals(lines: int) -> Files:
    return run(
        "\n".join(f"#ifdef HAVE_{number}\n  Step({number});\n#else\n  Step(0);\n#endif" for number in range(lines // 5))
    )


def _overloads(lines: int) -> Files:
    made = "\n".join(f"void take(T{number}* x, Buffer* y) {{ buffer_destroy(y); }}" for number in range(lines // 2))
    return {
        "made.cc": made + run("\n".join(f"  take(last_, table_[{number}]);" for number in range(lines // 2)))["made.cc"]
    }


def _members(lines: int) -> Files:
    part = lines // 3
    fields = "\n".join(f"  Buffer* f{number}_ = nullptr;" for number in range(part))
    methods = "\n".join(
        f"  void Set{number}() {{ absl::MutexLock lock(&mu_); f{number}_ = Make({number}); }}" for number in range(part)
    )
    ends = "\n".join(f"    buffer_destroy(f{number}_);" for number in range(part))
    public = f" public:\n  ~Wide() {{\n{ends}\n  }}\n{methods}\n"
    return {"made.cc": f"class Wide {{\n{public} private:\n  absl::Mutex mu_;\n{fields}\n}};\n"}


def _bindings(lines: int) -> Files:
    part = lines // 2
    methods = "\n".join(f"  Buffer* get{number}() {{ return b_; }}" for number in range(part))
    bound = "\n".join(
        f'    .def("get{number}", &Wide::get{number}, py::return_value_policy::reference)' for number in range(part)
    )
    cls = f"class Wide {{\n public:\n{methods}\n Buffer* b_;\n}};\n"
    module = f'PYBIND11_MODULE(m, m) {{\n  py::class_<Wide>(m, "Wide")\n{bound};\n}}\n'
    return {"made.cc": f"#include <pybind11/pybind11.h>\nnamespace py = pybind11;\n{cls}{module}"}


def _calling(lines: int) -> Files:
    """Functions in a chain that ends where it begins."""
    count = lines // 3
    made = "".join(
        f"Buffer* f{number}(Buffer* b) {{\n  return f{(number + 1) % count}(b);\n}}\n" for number in range(count)
    )
    return {"made.cc": HEAD + made}


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


def _many(part: str) -> Callable[[int], Files]:
    each = part.count("\n")
    return lambda lines: {"made.cc": HEAD + "".join(part.replace("%d", str(number)) for number in range(lines // each))}


CPP = (
    Shape("straight", lines_of(_straight)),
    Shape("macros that return", lines_of(_failing)),
    Shape("returns by hand", lines_of(_by_hand)),
    Shape("acquire, fail, release", lines_of(_acquiring)),
    Shape("acquired and never released", lines_of(_held)),
    Shape("locks", lines_of(_locking)),
    Shape("scope guards", lines_of(_guards)),
    Shape("flags and calls", lines_of(_flags)),
    Shape("loops", lines_of(_looping)),
    Shape("loops in loops", _nested_loops),
    Shape("branches", lines_of(_branching)),
    Shape("else if", _else_ifs),
    Shape("one switch", _switching),
    Shape("nested blocks", _nesting),
    Shape("gotos", _gotos),
    Shape("lambdas", lines_of(_lambdas)),
    Shape("counted by hand", lines_of(_counted)),
    Shape("py::object", lines_of(_objects)),
    Shape("one chain of calls", _chained),
    Shape("decrements", _prefixes("--")),
    Shape("negations", _prefixes("!")),
    Shape("dereferences", _prefixes("*")),
    Shape("addresses of targets", _prefixes("&*")),
    Shape("minus signs", _prefixes("- ")),
    Shape("brackets", _brackets("(", ")")),
    Shape("calls in calls", _brackets("f(", ")")),
    Shape("templates in templates", _types),
    Shape("doubling macros", _doubling),
    Shape("doubling macros of one parameter", _doubling_calls),
    Shape("macros, each used once", _macros),
    Shape("#ifdef", _conditionals),
    Shape("overloads", _overloads),
    Shape("one class", _members),
    Shape("one bound class", _bindings),
    Shape("functions in a cycle", _calling),
    Shape("small functions", _many(_SMALL)),
    Shape("classes", _many(_CLASS)),
)

# --- Python -----------------------------------------------------------------------------------------

IR = "from mlir.ir import Context, InsertionPoint, Location, Module, Operation\n"
NUMPY = "import ctypes\nimport jax\nimport numpy as np\nstep = jax.jit(lambda x: x, donate_argnums=0)\n"


def function(body: str, head: str = IR) -> Files:
    return {"made.py": f"{head}\ndef run(asm, n, module):\n{body}\n    return n\n"}


def rows_of(line: Line, head: str = IR) -> Callable[[int], Files]:
    return lambda lines: function("\n".join("    " + line(number) for number in range(lines)), head)


def _owners(number: int) -> str:
    return f"m{number} = Module.parse(asm)"


def _children(number: int) -> str:
    return f"o{number} = m{number - 1}.body.operations[0]" if number % 2 else f"m{number} = Module.parse(asm)"


def _aliases(number: int) -> str:
    return f"a{number} = a{number - 1}" if number else "a0 = Module.parse(asm).body.operations[0]"


def _one_chain(lines: int) -> Files:
    return function("    " + " = ".join(f"a{number}" for number in range(lines)) + " = Module.parse(asm)")


def _literal(opening: str, closing: str, entry: Callable[[int], str]) -> Callable[[int], Files]:
    def write(lines: int) -> Files:
        entries = "\n".join(f"        {entry(number)}," for number in range(lines))
        return function(f"    table = {opening}\n{entries}\n    {closing}")

    return write


def _donations(number: int) -> str:
    return (
        f"x{number} = np.zeros(8)",
        f"y{number} = step(x{number - 1})",
        f"p{number} = np.arange({number}).ctypes.data",
    )[number % 3]


def _else_ifs_py(lines: int) -> Files:
    chain = "\n".join(
        f"    elif n == {number}:\n        op = module.body.operations[{number}]" for number in range(lines // 2)
    )
    return function(f"    if n < 0:\n        op = None\n{chain}")


def _ifs(number: int) -> str:
    return "    op = module.body.operations[0]" if number % 2 else f"if n == {number}:"


def _guarded(lines: int) -> Files:
    part = "    try:\n        op = Module.parse(asm).body\n    except ValueError:\n        op = None\n"
    part += "    finally:\n        n += 1\n"
    return function(part * (lines // 6))


def _handlers(lines: int) -> Files:
    part = "\n".join(f"    except Error{number}:\n        op = None" for number in range(lines // 2))
    return function(f"    try:\n        op = Module.parse(asm).body\n{part}")


def _tries(lines: int) -> Files:
    body = "\n".join(f"        m{number} = Module.parse(asm)" for number in range(lines))
    return function(f"    try:\n{body}\n    except ValueError:\n        n = 1")


def _deep(levels: int, *heads: str) -> Callable[[int], Files]:
    """Blocks in blocks, one after the other."""

    def write(lines: int) -> Files:
        rows = [" " * (4 + depth) + heads[depth % len(heads)].replace("%d", str(depth)) for depth in range(levels)]
        rows.append(" " * (4 + levels) + "op = Module.parse(asm).body.operations[0]")
        return function("\n".join("\n".join(rows) for _ in range(max(1, lines // len(rows)))))

    return write


_WITH, _FOR = "with Context() as c%d:", "for o%d in module.body.operations:"


def _stars(lines: int) -> Files:
    """Modules of ten lines, each of which takes all names of four others."""
    count = max(2, lines // 10)
    whole = "".join(f"from p.m{number} import *\n" for number in range(count))
    files: Files = {"p/__init__.py": f"import jax\n{whole}step = jax.jit(missing, donate_argnums=0)\n"}
    for number in range(count):
        others = {(number * factor + 1) % count for factor in (1, 2, 3, 5)} | {(number + 1) % count}
        head = "".join(f"from p.m{other} import *\n" for other in sorted(others))
        body = f"def f{number}(x):\n    y = step{number}(x)\n    z = missing{number}(x)\n    return helper(y) + z\n"
        files[f"p/m{number}.py"] = f"import jax\n{head}step{number} = jax.jit(add, donate_argnums=0)\n{body}"
    return files


def _cycle(lines: int) -> Files:
    count = max(1, lines // 3)
    rows = [
        f"def f{number}(m):\n    o = m.body.operations[0]\n    return f{(number + 1) % count}(m)\n"
        for number in range(count)
    ]
    return {"made.py": IR + "".join(rows)}


def _donating(lines: int) -> Files:
    count = max(1, lines // 3)
    rows = [f"def f{number}(x):\n    y = f{number + 1}(x)\n    return x + y\n" for number in range(count)]
    return {"made.py": NUMPY + "".join(rows) + f"f{count} = step\n"}


def _methods(lines: int) -> Files:
    part = "    def f%d(self, asm):\n        self.m%d = Module.parse(asm)\n"
    part += "        self.o%d = self.m%d.body\n        return self.f%e(asm)\n"
    rows = (part.replace("%d", str(number)).replace("%e", str(number + 1)) for number in range(lines // 4))
    return {"made.py": f"{IR}\nclass Wide:\n" + "".join(rows)}


def _comprehensions(lines: int) -> Files:
    rows = [
        f"    l{number} = [o for o in l{number - 1}]" if number else "    l0 = list(module.body.operations)"
        for number in range(lines)
    ]
    return function("\n".join(rows))


def _clauses(lines: int) -> Files:
    rows = "\n".join(f"        for o{number} in module.body.operations" for number in range(lines))
    return function(f"    found = [o0\n{rows}]")


def _nested_comprehensions(lines: int) -> Files:
    inner = "n"
    for number in range(lines):
        inner = f"[{inner} for o{number} in n]"
    return function(f"    y = step(n)\n    found = {inner}", NUMPY)


def _nested_comparisons(lines: int) -> Files:
    return function(f"    found = {'0 < (' * lines}asm{') < n' * lines}")


def _attributes(part: str) -> Callable[[int], Files]:
    return lambda lines: function("    found = (module" + "\n".join("        " + part for _ in range(lines)) + ")")


def _closures(number: int) -> str:
    return f"f{number} = lambda: m{number - 1}.body" if number % 2 else f"m{number} = Module.parse(asm)"


def _callbacks(number: int) -> str:
    return f"def c{number}(): return m{number - 1}.body" if number % 2 else f"m{number} = Module.parse(asm)"


def _items(number: int) -> str:
    return f"table['k{number}'] = Module.parse(asm).body" if number else "table = {}"


def _stores(number: int) -> str:
    return f"n.k{number} = Module.parse(asm)"


def _yields(number: int) -> str:
    return f"yield module.body.operations[{number}]"


PYTHON = (
    Shape("owners", rows_of(_owners)),
    Shape("owners and children", rows_of(_children)),
    Shape("aliases", rows_of(_aliases)),
    Shape("a = b = c", _one_chain, 4000),
    Shape("arrays and addresses", rows_of(_donations, NUMPY)),
    Shape("a list", _literal("[", "]", lambda number: f"Module.parse(asm).body.operations[{number}]")),
    Shape("a dict", _literal("{", "}", lambda number: f"'k{number}': Module.parse(asm)")),
    Shape("items put in", rows_of(_items)),
    Shape("attributes put in", rows_of(_stores)),
    Shape("elif", _else_ifs_py, 1800),
    Shape("ifs", lambda lines: rows_of(_ifs)(lines // 2 * 2)),
    Shape("try, one after the other", _guarded),
    Shape("many handlers", _handlers),
    Shape("one long try", _tries),
    Shape("for in with, 4 deep", _deep(4, _WITH, _FOR)),
    Shape("for in with, 8 deep", _deep(8, _WITH, _FOR)),
    Shape("for in for, 8 deep", _deep(8, _FOR)),
    Shape("for in for, 18 deep", _deep(18, _FOR)),
    Shape("with in with, 18 deep", _deep(18, _WITH)),
    Shape("if in for in with, 18 deep", _deep(18, _WITH, _FOR, "if n > %d:")),
    Shape("mutual star imports", _stars),
    Shape("functions in a cycle (py)", _cycle),
    Shape("functions in a chain", _donating),
    Shape("one class (py)", _methods),
    Shape("comprehensions", _comprehensions),
    Shape("one comprehension", _clauses, 200),
    Shape("comprehensions in comprehensions", _nested_comprehensions, 60),
    Shape("comparisons in comparisons", _nested_comparisons, 60),
    Shape("attributes of attributes", _attributes(".operation"), 2000),
    Shape("a builder's chain", _attributes(".add(1)"), 2000),
    Shape("lambdas (py)", rows_of(_closures)),
    Shape("nested functions", rows_of(_callbacks)),
    Shape("yields", rows_of(_yields)),
)

SHAPES = {shape.name: shape for shape in (*CPP, *PYTHON)}
