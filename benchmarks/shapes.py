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


def _registering(lines: int) -> Files:
    added = "\n".join(f"    add(std::make_unique<Adapter>({number}));" for number in range(lines))
    return {
        "made.cc": f"""
struct Adapter {{ explicit Adapter(int rank); virtual ~Adapter(); const std::string& name() const; }};
class Registry {{
 public:
  void add(std::unique_ptr<Adapter> one) {{ made_[one->name()] = std::move(one); }}
  const Adapter* find(const std::string& name) const {{ return made_.at(name).get(); }}
  Registry() {{
{added}
  }}
 private:
  std::unordered_map<std::string, std::unique_ptr<Adapter>> made_;
}};
"""
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

# --- C++ that is hostile, or generated --------------------------------------------------------------


def file_of(line: Line, head: str = "", tail: str = "") -> Callable[[int], Files]:
    """A file of such lines outside of functions."""
    return lambda lines: {"made.cc": head + "\n".join(line(number) for number in range(lines)) + "\n" + tail}


def function_of(line: Line, head: str = "#include <Python.h>\nint c(int);\n") -> Callable[[int], Files]:
    """A function of C with such lines."""
    return lambda lines: {
        "made.cc": f"{head}int f(int n) {{\n" + "\n".join(line(number) for number in range(lines)) + "\nreturn 0;\n}\n"
    }


_MUTEX = "#include <mutex>\n"
_PYTHON_H = "#include <Python.h>\n"


def _hierarchy(base: Callable[[int, int], str]) -> Callable[[int], Files]:
    def write(lines: int) -> Files:
        made = (
            f"struct B{n}{base(n, lines)} {{ std::mutex m; Buffer* p;"
            " void run() { std::lock_guard g(m); p->run(); } };"
            for n in range(lines)
        )
        return {"made.cc": _MUTEX + "\n".join(made) + "\n"}

    return write


def _tested_acquisition(number: int) -> str:
    made = f"p{number} = PyLong_FromLong({number})"
    return f"  if (c({number})) {{ PyObject *{made}; if (!p{number}) return -1; Py_DECREF(p{number}); }}"


def _alive(number: int) -> str:
    return f"  PyObject* p{number} = PyLong_FromLong({number}); if (!p{number}) return -1;"


def _labels(lines: int) -> Files:
    half = lines // 2
    jumps = "\n".join(f"  if (c({n})) goto l{(n * 7) % half};" for n in range(half))
    labels = "\n".join(f"l{n}: c({n});" for n in range(half))
    return {"made.cc": f"int c(int);\nint f(void) {{\n{jumps}\n{labels}\nreturn 0;\n}}\n"}


def _state_machine(lines: int) -> Files:
    """As re2c and bison write it: labels that jump to each other."""
    half = max(2, lines // 2)
    rows = "\n".join(
        f"yy{n}: yych = *++p;\n  switch (yych) {{\n  case 'a': goto yy{(n * 5 + 1) % half};\n"
        f"  default: goto yy{(n + 1) % half};\n  }}"
        for n in range(half)
    )
    return {"made.cc": f"int scan(const char* p) {{\nchar yych;\ngoto yy0;\n{rows}\n}}\n"}


def _parser_tables(lines: int) -> Files:
    rows = "\n".join(f'  {{ {n}, {n + 1}, {n * 3 % 97}, "rule {n}" }},' for n in range(lines))
    return {
        "made.cc": f"struct Rule {{ int a, b, c; const char* name; }};\nstatic const Rule rules[] = {{\n{rows}\n}};\n"
    }


def _cython(lines: int) -> Files:
    part = """  __pyx_t_%d = PyObject_GetAttr(__pyx_v_self, __pyx_n_s_%d);
  if (unlikely(!__pyx_t_%d)) __PYX_ERR(0, %d, __pyx_L1_error)
  __Pyx_GOTREF(__pyx_t_%d);
  __Pyx_DECREF(__pyx_t_%d); __pyx_t_%d = 0;
"""
    rows = "".join(part.replace("%d", str(n)) for n in range(lines // 3))
    declared = "".join(f"  PyObject *__pyx_t_{n} = NULL;\n" for n in range(lines // 3))
    freed = "".join(f"  __Pyx_XDECREF(__pyx_t_{n});\n" for n in range(lines // 3))
    begin = f"static PyObject *__pyx_pf_run(PyObject *__pyx_v_self) {{\n  PyObject *__pyx_r = NULL;\n{declared}"
    return {
        "made.cc": f"{_PYTHON_H}{begin}{rows}  __pyx_r = Py_None; Py_INCREF(Py_None);\n  goto __pyx_L0;\n"
        f"  __pyx_L1_error:;\n{freed}  __pyx_r = NULL;\n  __pyx_L0:;\n  return __pyx_r;\n}}\n"
    }


_SWIG = """
SWIGINTERN PyObject *_wrap_get%d(PyObject *self, PyObject *args) {
  PyObject *resultobj = 0; void *argp1 = 0; int res1 = 0; PyObject *obj0 = 0; Thing *result = 0;
  if (!PyArg_ParseTuple(args, "O:get%d", &obj0)) SWIG_fail;
  res1 = SWIG_ConvertPtr(obj0, &argp1, SWIGTYPE_p_Thing, 0);
  if (!SWIG_IsOK(res1)) SWIG_exception_fail(SWIG_ArgError(res1), "in method 'get%d'");
  result = ((Thing *)argp1)->get%d();
  resultobj = SWIG_NewPointerObj(result, SWIGTYPE_p_Thing, 0);
  return resultobj;
fail:
  return NULL;
}
"""

_SIP = """
static PyObject *meth_Thing_get%d(PyObject *sipSelf, PyObject *sipArgs) {
  PyObject *sipParseErr = SIP_NULLPTR;
  {
    const Thing *sipCpp;
    if (sipParseArgs(&sipParseErr, sipArgs, "B", &sipSelf, sipType_Thing, &sipCpp)) {
      Thing *sipRes = sipCpp->get%d();
      return sipConvertFromType(sipRes, sipType_Thing, SIP_NULLPTR);
    }
  }
  sipNoMethod(sipParseErr, "Thing", "get%d", SIP_NULLPTR);
  return SIP_NULLPTR;
}
"""

_PROTOBUF = """
class Message%d final : public ::google::protobuf::Message {
 public:
  Message%d() : Message%d(nullptr) {}
  ~Message%d() override;
  void Clear() final;
  const std::string& name() const { return name_; }
  void set_name(const std::string& value) { name_ = value; }
  Message%d* mutable_next() { if (next_ == nullptr) next_ = new Message%d(); return next_; }
 private:
  std::string name_;
  Message%d* next_ = nullptr;
};
"""

_METHOD = "  void m%d() { std::lock_guard<std::mutex> l(mu_); v_ = %d; m%e(); }"


def _methods_of_one(lines: int) -> Files:
    rows = "\n".join(_METHOD.replace("%d", str(n)).replace("%e", str((n + 1) % lines)) for n in range(lines))
    return {"made.cc": f"{_MUTEX}class Wide {{\n public:\n{rows}\n private:\n  std::mutex mu_; int v_ = 0;\n}};\n"}


def _mutexes(lines: int) -> Files:
    part = lines // 3
    fields = "\n".join(f"  std::mutex m{n}; int v{n};" for n in range(part))
    taken = "\n".join(f"  m{n}.lock(); v{n} = {n};" for n in range(part))
    let_go = "\n".join(f"  m{n}.unlock();" for n in range(part))
    return {"made.cc": f"{_MUTEX}class A {{\n{fields}\nvoid f() {{\n{taken}\n{let_go}\n}}\n}};\n"}


def _callers(lines: int) -> Files:
    half = lines // 2
    made = "\n".join(f"void g{n}(Store* s) {{ mu.lock(); shared(s); mu.unlock(); }}" for n in range(half))
    return {"made.cc": f"{_MUTEX}std::mutex mu;\nvoid shared(Store* s) {{ s->run(); }}\n{made}\n"}


def _dense_calls(lines: int) -> Files:
    count = max(2, int(lines**0.5))
    rows = "\n".join(
        f"Buffer* f{n}(Buffer* b) {{\n"
        + "\n".join(f"  b = f{other}(b);" for other in range(count))
        + "\n  return b;\n}"
        for n in range(count)
    )
    return {"made.cc": f"Buffer* buffer_create();\nvoid buffer_destroy(Buffer*);\n{rows}\n"}


def _one_line(shape: Callable[[int], Files]) -> Callable[[int], Files]:
    """The same file on one line, as far as macros let it be."""

    def write(lines: int) -> Files:
        return {
            path: "\n".join(part if part.startswith("#") else part + " " for part in text.split("\n")).replace(
                " \n", " "
            )
            for path, text in shape(lines).items()
        }

    return write


HOSTILE = (
    Shape("tested acquisitions", function_of(_tested_acquisition)),
    Shape("handles alive", function_of(_alive)),
    Shape(
        "handles alive, released by one label",
        lambda lines: {
            "made.cc": f"{_PYTHON_H}int f(void) {{\n"
            + "\n".join(f"  PyObject* p{n} = NULL;" for n in range(lines // 3))
            + "\n".join(f"  p{n} = PyLong_FromLong({n}); if (!p{n}) goto out;" for n in range(lines // 3))
            + "\nout:\n"
            + "\n".join(f"  Py_XDECREF(p{n});" for n in range(lines // 3))
            + "\n  return 0;\n}\n"
        },
    ),
    Shape("labels", _labels),
    Shape("a generated scanner", _state_machine),
    Shape("tables of a generated parser", _parser_tables),
    Shape("Cython", _cython),
    Shape("SWIG", _many(_SWIG)),
    Shape("SIP", _many(_SIP)),
    Shape("protobuf", _many(_PROTOBUF)),
    Shape("a deep hierarchy", _hierarchy(lambda n, _: f" : B{n - 1}" if n else "")),
    Shape("a wide hierarchy", _hierarchy(lambda n, _: " : B0" if n else "")),
    Shape(
        "a class of all the others",
        lambda lines: {
            "made.cc": "\n".join(f"struct B{n} {{ int v{n}; }};" for n in range(lines))
            + "\nstruct All : "
            + ", ".join(f"B{n}" for n in range(lines))
            + " { int* p; };\n"
        },
    ),
    Shape("a hierarchy in a cycle", _hierarchy(lambda n, lines: f" : B{(n + 1) % lines}, B{n * 7 % lines}, B{n}")),
    Shape("diamonds", _hierarchy(lambda n, _: f" : B{n - 1}, B{n - 2}" if n > 1 else "")),
    Shape("overloads of one name", file_of(lambda n: f"void take(T{n}* x, int a) {{ take(x->next(), {n}); }}")),
    Shape("declarations of one name", file_of(lambda n: f"Buffer* take(T{n}* x);", tail="void f() { take(0); }\n")),
    Shape("registrations", _registering),
    Shape("globals", file_of(lambda n: f"static Buffer* g{n} = nullptr;", HEAD)),
    Shape(
        "globals that are set",
        lambda lines: {
            "made.cc": HEAD
            + "\n".join(f"static Buffer* g{n};" for n in range(lines // 2))
            + "\nvoid f(Device* d) {\n"
            + "\n".join(f"  g{n} = buffer_create(d, {n});" for n in range(lines // 2))
            + "\n}\n"
        },
    ),
    Shape("mutexes", _mutexes),
    Shape("methods", _methods_of_one),
    Shape("callers of one function", _callers),
    Shape("functions that all call each other", _dense_calls),
    Shape(
        "a chain of returns",
        lambda lines: {
            "made.cc": f"{_PYTHON_H}PyObject* f0() {{ return PyList_New(0); }}\n"
            + "\n".join(f"PyObject* f{n}() {{ PyObject* t = f{n - 1}(); return t; }}" for n in range(1, lines))
            + "\n"
        },
    ),
    Shape("a chain of arguments", file_of(lambda n: f"void g{n + 1}(Buffer* b) {{ g{n}(b); }}", HEAD)),
    Shape("a chain of members", lambda lines: run("  use(last_" + "->next_" * lines + ");")),
    Shape(
        "references into temporaries",
        file_of(
            lambda n: f"int f{n}() {{ int& x = make()" + "->next" * 16 + "->value; return x; }",
            "struct Node { std::unique_ptr<Node> next; int value; };\nstd::unique_ptr<Node> make();\n",
        ),
    ),
    Shape("a chain of aliases", file_of(lambda n: f"using A{n + 1} = A{n};", "using A0 = Buffer*;\n", "A9 f();\n")),
    Shape(
        "a chain of classes", file_of(lambda n: f"struct C{n + 1} {{ C{n}* held_; ~C{n + 1}() {{ delete held_; }} }};")
    ),
    Shape(
        "namespaces in namespaces",
        lambda lines: {
            "made.cc": "".join(f"namespace n{n % 90} {{ " for n in range(min(lines, 90)))
            + "\n"
            + "\n".join(f"void f{n}(int* p) {{ delete p; }}" for n in range(lines))
            + "}" * min(lines, 90)
            + "\n"
        },
    ),
    Shape(
        "enumerators",
        lambda lines: {
            "made.cc": "enum E {\n" + "\n".join(f"  E{n}," for n in range(lines)) + "\n};\nvoid f(E e) { use(e); }\n"
        },
    ),
    Shape(
        "slots of types",
        file_of(
            lambda n: f'static PyTypeObject T{n} = {{ .tp_name = "t{n}", .tp_dealloc = (destructor)free{n} }};',
            _PYTHON_H,
        ),
    ),
    Shape(
        "lambdas in lambdas",
        lambda lines: run("  auto f = " + "[&] { return " * min(lines, 60) + "n" + "; }" * min(lines, 60) + ";"),
    ),
    Shape(
        "catches",
        lambda lines: run("try { Step(0); }\n" + "\n".join(f"catch (E{n}& e) {{ Step({n}); }}" for n in range(lines))),
    ),
    Shape(
        "conditions of one test",
        lambda lines: run("  if (" + " && ".join(f"table_[{n}]" for n in range(lines)) + ") Step(n);"),
    ),
    Shape(
        "conditional expressions",
        lambda lines: run("  last_ = " + "".join(f"n == {n} ? table_[{n}] : " for n in range(lines)) + "nullptr;"),
    ),
    Shape("straight, on one line", _one_line(lines_of(_straight))),
    Shape("small functions, on one line", _one_line(_many(_SMALL))),
)


PYTHON_HOSTILE = (
    Shape("f-strings", rows_of(lambda n: f's{n} = f"{{module}} {{asm}} {{n + {n}}} {{module.body!r:>{{n}}}}"')),
    Shape("one f-string", lambda lines: function('    s = f"' + "{module.body}" * lines + '"')),
    Shape(
        "one line (py)", lambda lines: function("    " + "; ".join(f"m{n} = Module.parse(asm)" for n in range(lines)))
    ),
    Shape(
        "with of many",
        lambda lines: function(
            "    with (" + ", ".join(f"Context() as c{n}" for n in range(lines)) + "):\n        op = module.body"
        ),
        500,
    ),
    Shape(
        "keyword arguments",
        lambda lines: function("    step(" + ", ".join(f"k{n}=module.body" for n in range(lines)) + ")"),
    ),
    Shape(
        "decorators",
        lambda lines: {
            "made.py": IR + "\n".join(f"@wrap({n})" for n in range(lines)) + "\ndef f(m):\n    return m.body\n"
        },
    ),
    Shape(
        "bases (py)",
        lambda lines: {
            "made.py": IR
            + "\n".join(
                f"class C{n}({'C' + str(n - 1) if n else 'object'}):\n    m = Module.parse('')"
                for n in range(lines // 2)
            )
        },
    ),
    Shape(
        "match",
        lambda lines: function(
            "    match n:\n" + "\n".join(f"        case {n}:\n            op = module.body" for n in range(lines // 2))
        ),
    ),
)

# --- functions, classes and ways that lead to each other ----------------------------------------------


def _each(head: str, line: Callable[[int, int], str], path: str = "made.cc", share: int = 1) -> Callable[[int], Files]:
    """A file in which each of so many is written with its number, and with how many there are."""

    def write(lines: int) -> Files:
        count = max(2, lines // share)
        return {path: head + "\n".join(line(number, count) for number in range(count)) + "\n"}

    return write


def _inside(head: str, line: Callable[[int, int], str], tail: str = "  return 0;\n}\n") -> Callable[[int], Files]:
    """The same in one function, which the head begins and the tail ends."""
    write = _each(head, line)
    return lambda lines: {path: text + tail for path, text in write(lines).items()}


ENTANGLED = (
    Shape(
        "overloads that call each other",
        _each(
            HEAD,
            lambda n, _: (
                f"Buffer* conv(T{n} x, T{n + 1}* y)"
                f" {{ Buffer* b = buffer_create(nullptr, {n}); conv(x, b); return conv(y, b); }}"
            ),
        ),
    ),
    Shape(
        "references in an array, and jumps",
        _inside(
            f"{_PYTHON_H}int f(int n) {{\n  PyObject* a[9999];\n",
            lambda n, count: (
                f"l{n}: a[{n}] = PyList_GetItem(a[{n * 7 % count}], {n}); Py_INCREF(a[{n}]);"
                f" if (n == {n}) goto l{(n * 3 + 1) % count};"
            ),
        ),
    ),
    Shape(
        "jumps back over tests",
        _inside(
            f"{_PYTHON_H}int f(int n) {{\n  PyObject *a = NULL, *b = NULL;\n",
            lambda n, _: (
                f"l{n}: a = PyLong_FromLong({n}); if (!a) goto l{n * 7 % (n + 1)};"
                f" if (n == {n}) {{ Py_DECREF(a); goto l{n * 3 % (n + 1)}; }} Py_XDECREF(b); b = a;"
            ),
        ),
    ),
    Shape(
        "jumps back over many locals",
        lambda lines: {
            "made.cc": f"{_PYTHON_H}int f(int n) {{\n"
            + "\n".join(f"  PyObject *p{n} = NULL;" for n in range(lines))
            + "\n"
            + "\n".join(
                f"l{n}: p{n} = PyList_New({n}); if (!p{n * 5 % lines}) goto l{n * 7 % (n + 1)};"
                f" Py_XDECREF(p{n * 3 % lines});"
                for n in range(lines)
            )
            + "\n  return 0;\n}\n"
        },
    ),
    Shape(
        "cases that fail to labels",
        _inside(
            f"{_PYTHON_H}PyObject* f(int n, PyObject* a) {{\n  PyObject* r = NULL;\n  switch (n) {{\n",
            lambda n, _: f"  case {n}: r = PyLong_FromLong({n}); if (!r) goto bad; Py_INCREF(a); break;",
            "  }\n  return r;\nbad:\n  Py_DECREF(a);\n  return NULL;\n}\n",
        ),
    ),
    Shape(
        "acquisitions in conditions",
        _inside(
            f"{_PYTHON_H}PyObject* f(int n) {{\n  PyObject* r;\n  if (n < 0) return NULL;\n",
            lambda n, _: (
                f"  else if (n == {n} && (r = PyLong_FromLong({n})) != NULL)"
                " { PyObject* t = PyTuple_Pack(1, r); Py_DECREF(r); return t; }"
            ),
            "  return NULL;\n}\n",
        ),
    ),
    Shape(
        "locks by hand in loops",
        _inside(
            f"{_MUTEX}std::mutex m0, m1, m2; int v0, v1, v2;\nint f(int n) {{\n",
            lambda n, _: (
                f"  while (n != {n}) {{ m{n % 3}.lock(); v{n % 3}++; if (n == {n + 1}) {{ m{n % 3}.unlock(); break; }}"
                f" m{(n + 1) % 3}.lock(); if (n < {n}) continue; m{(n + 1) % 3}.unlock(); m{n % 3}.unlock(); }}"
            ),
        ),
    ),
    Shape(
        "what lends is released",
        _inside(
            f"{_PYTHON_H}int f(PyObject* o) {{\n  PyObject* a = PyList_New(1);\n",
            lambda n, _: (
                f"  Py_INCREF(a); Py_DECREF(PyList_GetItem(a, {n})); Py_CLEAR(a); a = Py_NewRef(o);"
                f" PyList_SetItem(a, {n}, a);"
            ),
        ),
    ),
    Shape(
        "virtual methods of one name",
        _each(
            HEAD,
            lambda n, count: (
                f"class V{n} : public V{(n - 1) // 2 if n else 'Base'} {{ public: virtual ~V{n}() {{ delete p_; }}"
                f" Buffer* get() override {{ return p_; }} virtual void set(Buffer* b) {{ p_ = b; }}"
                f" void use(V{n * 3 % count}* o) {{ set(o->get()); o->set(get()); }} private: Buffer* p_; }};"
            ),
        ),
    ),
    Shape(
        "templates that derive from their arguments",
        _each(
            HEAD,
            lambda n, _: (
                f"template <class T, class U = M{max(0, n - 1)}<T>> struct M{n} : T, M{n * 3 % (n + 1)}<U> {{ U* u;"
                f" auto go(T&& t) {{ return M{n * 5 % (n + 1)}<T>::go(std::move(t)); }} ~M{n}() {{ delete u; }} }};"
            ),
        ),
    ),
    Shape(
        "out parameters handed on",
        _each(
            _PYTHON_H,
            lambda n, count: (
                f"int o{n}(PyObject** a, PyObject** b) {{ PyObject* t = NULL; if (o{(n * 3 + 1) % count}(&t, a) < 0)"
                f" return -1; *b = t; return o{(n * 5 + 2) % count}(b, &t); }}"
            ),
        ),
    ),
    Shape(
        "locks over calls of each other",
        _each(
            f"{HEAD}{_MUTEX}",
            lambda n, count: (
                f"struct L{n} {{ std::mutex m; L{(n * 3 + 1) % count}* a; L{(n * 5 + 2) % count}* b;"
                " void go() { std::lock_guard<std::mutex> g(m); a->go(); b->go(); cb_(this); }"
                f" std::function<void(L{n}*)> cb_; }};"
            ),
        ),
    ),
    Shape(
        "coroutines",
        _each(
            HEAD,
            lambda n, count: (
                f"Task<Buffer*> t{n}(Device* d) {{ std::lock_guard g(mu); Buffer* b = co_await"
                f" t{(n * 3 + 1) % count}(d); if (!b) co_return nullptr; co_yield b; buffer_destroy(b); }}"
            ),
        ),
    ),
    Shape(
        "registries that feed each other",
        _each(
            f"{_PYTHON_H}#include <unordered_map>\n",
            lambda n, count: (
                f"static std::unordered_map<void*, PyObject*> r{n};\nvoid put{n}(void* k, PyObject* o) {{ Py_INCREF(o);"
                f" r{n}[k] = o; r{(n * 3 + 1) % count}.erase(k); put{n * 7 % count}(k, o); }}"
            ),
        ),
    ),
    Shape(
        "functions that hand on handles (py)",
        _each(
            IR,
            lambda n, count: (
                f"def f{n}(m, *a, **k):\n    x = f{(n * 2 + 1) % count}(Module.parse(m), m.body, *a, k=m, **k)\n"
                f"    return f{(n * 5 + 2) % count}(x, a, m)"
            ),
            "made.py",
            3,
        ),
    ),
    Shape(
        "decorators that wrap each other",
        _each(
            IR,
            lambda n, count: (
                f"def d{n}(f):\n    def w(*a, **k):\n        return f(Module.parse(a[0]).body, *a)\n"
                f"    return d{(n * 3 + 1) % count}(w)\n@d{n}\n@d{n * 5 % count}\ndef u{n}(m):\n"
                f"    return u{(n * 3 + 1) % count}(m.body)"
            ),
            "made.py",
            4,
        ),
    ),
    Shape(
        "classes that call what they derive from (py)",
        _each(
            IR,
            lambda n, count: (
                f"class C{n}({f'C{(n - 1) // 2}, Mix{n % 7}' if n else 'object'}):\n    def go(self, m):\n"
                "        r = super().go(m.body)\n        self.kept = [r, *self.kept]\n"
                f"        return C{n * 3 % count}().go(self.kept[0])"
            ),
            "made.py",
            5,
        ),
    ),
    Shape(
        "dict displays of handles",
        lambda lines: function(
            "    d = {"
            + ", ".join(f"'k{n}': {{'m': Module.parse(asm).body, 'f': lambda m=module: m.body}}" for n in range(lines))
            + "}"
        ),
    ),
)

SHAPES = {shape.name: shape for shape in (*CPP, *PYTHON, *HOSTILE, *PYTHON_HOSTILE, *ENTANGLED)}
