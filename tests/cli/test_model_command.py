"""Contract files on the command line: written, shown, checked, compared, and used on Python of other projects."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import Done, Run

BINDINGS = """\
#include <pybind11/pybind11.h>
#include <vector>
namespace py = pybind11;
struct Doc;
struct Sink { virtual ~Sink() = default; virtual void on_data(int n) {} };
struct PySink : Sink { void on_data(int n) override {} };
struct Point { double x = 0; };
struct View { explicit View(Doc& doc) : doc_(doc) {} int size() const; Doc& doc_; };
struct Doc {
  Point& at(int i) { return points_[i]; }
  void add(Point p) { points_.push_back(p); }
  std::vector<Point> points_;
};
struct Bus {
  void set_sink(Sink* sink) { sink_ = sink; }
  void flush() { sink_->on_data(1); }
  Sink* sink_ = nullptr;
};
PYBIND11_MODULE(_core, m) {
  py::class_<Point>(m, "Point").def(py::init<>()).def_readwrite("x", &Point::x);
  py::class_<Sink, PySink>(m, "Sink").def(py::init<>());
  py::class_<View>(m, "View").def("size", &View::size);
  py::class_<Doc>(m, "Doc")
      .def(py::init<>())
      .def("view", [](Doc& doc) { return View(doc); })
      .def("safe_view", [](Doc& doc) { return View(doc); }, py::keep_alive<0, 1>())
      .def("at", &Doc::at, py::return_value_policy::reference_internal, py::arg("index"))
      .def("add", &Doc::add, py::call_guard<py::gil_scoped_release>());
  py::class_<Bus>(m, "Bus").def(py::init<>()).def("set_sink", &Bus::set_sink).def("flush", &Bus::flush);
  m.def("make_doc", [] { return Doc(); });
}
"""

TABLES = """\
#include <Python.h>
static PyObject* tick(PyObject* self, PyObject* args) {
  Py_BEGIN_ALLOW_THREADS
  wait();
  Py_END_ALLOW_THREADS
  return 0;
}
static PyMethodDef methods[] = {{"tick", tick, METH_VARARGS, "ticks"}, {NULL, NULL, 0, NULL}};
static PyGetSetDef fields[] = {{"now", (getter)tick, NULL, NULL, NULL}, {NULL}};
static PyType_Slot slots[] = {{Py_tp_getset, fields}, {0, NULL}};
static PyType_Spec spec = {"timers._timers.Timer", 0, 0, 0, slots};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "_timers", NULL, -1, methods};
"""

USE = """\
from shapes import Bus, Doc, Point, Sink


class Printer(Sink):
    def on_data(self, n):
        print(n)


def temporary():
    return Doc().view().size()


def kept():
    return Doc().safe_view().size()


def dropped(bus: Bus):
    bus.set_sink(Printer())


def changed(doc: Doc):
    head = doc.at(0)
    doc.add(Point())
    return head.x


def unknown(doc):
    head = doc.at(0)
    doc.add(Point())
    return head.x
"""

FOUND = [
    "use.py:10:12: error[child-outlives-owner] `Doc().view()` is used after its owner `Doc()` was freed",
    (
        "use.py:18:5: error[stored-argument-dropped] `Printer()` is freed immediately, but `bus` stores its address: "
        "the methods of `Printer` are lost with it"
    ),
    "use.py:24:12: error[part-used-after-change] `head` is used after `doc.add(Point())`, which moves or frees it",
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "lib"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "bind.cc").write_text(BINDINGS)
    (folder / "pyproject.toml").write_text('[build-system]\nrequires = ["pybind11>=2.13,<3"]\n[tool.ownlint]\n')
    return folder


def extract(run: Run, *more: str) -> str:
    done = run("model", "extract", "lib", "--package", "shapes", "-o", "shapes.own.toml", "--no-cache", *more)
    assert done.code == 0, done.err
    return Path("shapes.own.toml").read_text()


def test_what_a_module_promises_is_written(run: Run, project: Path) -> None:
    text = extract(run)
    assert 'format = 1\npackage = "shapes"\nmodules = ["_core"]\nframeworks = { pybind11 = ">=2.13,<3" }\n' in text
    assert (
        '[[member]]\non = "Doc"\nname = "view"\nkind = "method"\nat = "src/bind.cc:25"\nreturns = "View"\n'
        'category = "view"\nborrows = [{ from = "self", protected = false, via = "`View::doc_` is a reference", '
        'reason = "nothing keeps it alive" }]\n'
    ) in text
    assert 'protected = true, via = "`View::doc_` is a reference", reason = "py::keep_alive<0, 1>()" }]' in text
    assert (
        'stores = [{ argument = 1, into = "self", protected = false, via = "`sink` is stored in `sink_` here" }]'
        in text
    )
    assert 'takes = ["Point"]\ncategory = "nothing"\ninvalidates = ["at"]\nreleases_gil = true\n' in text
    assert 'names = ["index"]\nreturns = "Point"\ncategory = "reference"\npolicy = "reference internal"\n' in text
    assert 'trampoline = "PySink"' in text


def test_it_goes_to_stdout_without_a_file(run: Run, project: Path) -> None:
    done = run("model", "extract", "lib", "--package", "shapes", "--no-cache")
    assert done.out.startswith("# Ownership contract of the bindings of shapes.\n")
    assert done.err == "shapes: 5 classes, 13 members; pybind11 >=2.13,<3\n"


def test_jobs_and_a_second_run_change_no_byte(run: Run, project: Path) -> None:
    for number in range(6):
        (project / "src" / f"more{number}.cc").write_text(BINDINGS.replace("_core", f"_more{number}"))
    first = extract(run, "-j", "1")
    assert extract(run, "-j", "4") == first == extract(run, "-j", "2")


def test_tables_of_c_are_extracted(run: Run) -> None:
    Path("timers.c").write_text(TABLES)
    done = run("model", "extract", ".", "--isolated", "--no-cache")
    assert done.code == 0
    assert 'package = "timers"\nmodules = ["timers._timers"]\n' in done.out
    assert (
        '[[member]]\nname = "tick"\nkind = "function"\nat = "timers.c:8"\ncxx = "tick"\nreleases_gil = true' in done.out
    )
    assert '[[class]]\nname = "Timer"\nat = "timers.c:11"\n' in done.out


def test_the_name_of_the_package_comes_from_the_project(run: Run, project: Path) -> None:
    (project / "shapes").mkdir()
    (project / "shapes" / "__init__.py").write_text("from ._core import Doc\n")
    assert 'package = "shapes"' in run("model", "extract", "lib", "--no-cache").out


def test_it_is_shown_as_a_table(run: Run, project: Path) -> None:
    extract(run)
    done = run("model", "show", "shapes.own.toml")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "shapes: 5 classes, 13 members; pybind11 >=2.13,<3"
    assert "class Sink  (Sink, trampoline PySink, src/bind.cc:21)" in lines
    assert any(
        "borrows from self: NOT protected (`View::doc_` is a reference; nothing keeps it alive)" in x for x in lines
    )
    assert any("keeps argument 1 in self: NOT protected (`sink` is stored in `sink_` here)" in line for line in lines)
    assert any("invalidates what at returned" in line for line in lines)


def test_a_file_that_says_what_the_code_does_is_right(run: Run, project: Path) -> None:
    extract(run)
    done = run("model", "check", "shapes.own.toml", "lib", "--no-cache")
    assert (done.code, done.out, done.err) == (0, "", "no difference between shapes.own.toml and the code\n")
    assert run("model", "check", "shapes.own.toml").code == 0


def test_lines_that_moved_are_no_difference(run: Run, project: Path) -> None:
    extract(run)
    (project / "src" / "bind.cc").write_text("// a licence\n\n" + BINDINGS)
    assert run("model", "check", "shapes.own.toml", "lib", "--no-cache", "-q") == Done(0, "", "")


def test_what_differs_is_told_with_1(run: Run, project: Path) -> None:
    extract(run)
    changed = BINDINGS.replace("return View(doc); })\n", "return View(doc); }, py::keep_alive<0, 1>())\n")
    changed = changed.replace('.def("flush", &Bus::flush)', '.def("drain", &Bus::flush)')
    (project / "src" / "bind.cc").write_text(changed)
    done = run("model", "check", "shapes.own.toml", "lib", "--no-cache")
    assert done.code == 1
    assert done.out.splitlines() == [
        "shapes.own.toml: `Bus.drain` is bound, but missing in the file",
        "shapes.own.toml: `Bus.flush` is not bound in the code",
        (
            "shapes.own.toml: src/bind.cc:25: `Doc.view`: `borrows` is (source self, protected false, via `View::doc_` "
            "is a reference, reason nothing keeps it alive, certainty certain) in the file, (source self, protected "
            "true, via `View::doc_` is a reference, reason py::keep_alive<0, 1>(), certainty certain) in the code"
        ),
    ]
    assert done.err == "3 differences between shapes.own.toml and the code\n"


def test_python_is_checked_against_a_file_that_the_settings_name(run: Run, project: Path) -> None:
    extract(run)
    Path("use.py").write_text(USE)
    Path("ownlint.toml").write_text('models = ["shapes.own.toml"]\n')
    done = run("check", "use.py", "--output-format", "concise", "--no-cache", "-q")
    assert (done.code, done.out.splitlines()) == (1, FOUND)
    told = run("check", "use.py", "--no-cache", "-q").out
    assert "`Doc.view` is bound in src/bind.cc:25 (contract of `shapes`) and does not keep its owner alive" in told


def test_a_contract_beside_an_installed_package_is_found_and_nothing_runs(run: Run, project: Path) -> None:
    text = extract(run)
    Path("shapes.own.toml").unlink()
    site = Path("venv/lib/python3.11/site-packages/shapes")
    site.mkdir(parents=True)
    (site / "__init__.py").write_text("open('ran', 'w')\n")
    (site / "shapes.own.toml").write_text(text)
    Path("use.py").write_text(USE)
    Path("ownlint.toml").write_text('environment = "venv"\n')
    done = run("check", "use.py", "--output-format", "concise", "-q")
    assert (done.code, done.out.splitlines()) == (1, FOUND)
    assert run("check", "use.py", "--output-format", "concise", "-q") == done, "from the cache"
    (site / "shapes.own.toml").write_text(text.replace("protected = false", "protected = true"))
    done = run("check", "use.py", "--output-format", "concise", "-q")
    assert done.out.splitlines() == FOUND[2:], "the cache knows the contract"
    assert run("model", "show", "shapes", "--environment", "venv").code == 0
    assert not Path("ran").exists()


KEEPS = """\
[library]
name = "mylib"
languages = ["python"]

[[python.class]]
name = "mylib.Buffer"
role = "owner"

[[python.class]]
name = "mylib.Graph"
role = "owner"

[[python.member]]
on = "mylib.Graph"
name = "bind"
parameters = ["name", "buffer"]
effect = "keep argument 2 in receiver"
"""

KEPT = """\
from mylib import Buffer, Graph


def dropped(graph: Graph):
    graph.bind("x", Buffer())


def by_name(graph: Graph):
    graph.bind(buffer=Buffer(), name="x")


def used_later():
    graph = Graph()
    buffer = Buffer()
    graph.bind("x", buffer)
    del buffer
    return graph.run()


def together():
    graph = Graph()
    buffer = Buffer()
    graph.bind("x", buffer)
    result = graph.run()
    return result, buffer


def the_first_is_not_kept(graph: Graph):
    graph.bind(Buffer(), None)
"""


def test_a_model_says_that_a_python_member_keeps_an_argument(run: Run) -> None:
    Path("mylib.toml").write_text(KEEPS)
    Path("ownlint.toml").write_text('models = ["mylib.toml"]\n')
    Path("use.py").write_text(KEPT)
    arguments = ("check", "use.py", "--output-format", "concise", "--no-cache", "-q")
    done = run(*arguments)
    assert [line.partition("] ")[0] for line in done.out.splitlines()] == [
        "use.py:5:5: error[stored-argument-dropped",
        "use.py:9:5: error[stored-argument-dropped",
        "use.py:17:12: error[stored-argument-dropped",
    ], done.out
    Path("mylib.toml").write_text(f"{KEEPS}counted = true\n")
    assert run(*arguments).out == ""
    Path("mylib.toml").write_text(KEEPS.replace("keep argument 2 in", "spawn argument 2 in"))
    refused = run(*arguments)
    assert refused.code == 2
    assert "mylib.toml:17: `spawn argument 2 in receiver` is not an effect" in refused.err


DESCRIBED = """\
[library]
name = "shapes"
languages = ["python"]

[[python.class]]
name = "shapes.Doc"
role = "owner"

[[python.member]]
on = "shapes.Doc"
name = "safe_view"
borrows = "self"
keeps = "none"
"""


def test_a_contract_says_what_a_model_of_the_same_class_leaves_open(run: Run, project: Path) -> None:
    """The model's word on a member is the stronger one; in whatever order they are named."""
    extract(run)
    Path("shapes.toml").write_text(DESCRIBED)
    Path("use.py").write_text(USE)
    stronger = "use.py:14:12: error[child-outlives-owner] `Doc().safe_view()` is used after its owner `Doc()` was freed"
    for names in ('"shapes.own.toml", "shapes.toml"', '"shapes.toml", "shapes.own.toml"'):
        Path("ownlint.toml").write_text(f"models = [{names}]\n")
        done = run("check", "use.py", "--output-format", "concise", "--no-cache", "-q")
        assert done.out.splitlines() == [FOUND[0], stronger, *FOUND[1:]]


def test_classes_that_a_contract_returns_are_known_by_the_model_too(run: Run, project: Path) -> None:
    extract(run)
    Path("shapes.toml").write_text(DESCRIBED.replace("Doc", "View").replace("safe_view", "rows"))
    text = "from shapes import Doc\n\n\ndef rows(doc: Doc):\n    view = Doc().safe_view()\n    return view.rows()\n"
    Path("use.py").write_text(text)
    Path("ownlint.toml").write_text('models = ["shapes.toml", "shapes.own.toml"]\n')
    done = run("check", "use.py", "--output-format", "concise", "--no-cache", "-q")
    (line,) = done.out.splitlines()
    assert line.startswith("use.py:6:12: error[child-outlives-owner] `view.rows()` is returned, but its owner `Doc()`")


def test_a_broken_contract_of_somebody_else_is_left_out_and_told(run: Run) -> None:
    site = Path("venv/lib/python3.11/site-packages")
    site.mkdir(parents=True)
    (site / "shapes.own.toml").write_text("format = 1\npackage = 3\n")
    Path("use.py").write_text("import shapes\n")
    Path("ownlint.toml").write_text('environment = "venv"\n')
    done = run("check", "use.py", "--no-cache")
    assert done.code == 0
    assert "shapes.own.toml:2: `package` must be a string" in done.err


def test_a_broken_contract_that_the_settings_name_is_2(run: Run) -> None:
    Path("shapes.own.toml").write_text("format = 9\n")
    Path("use.py").write_text("import shapes\n")
    Path("ownlint.toml").write_text('models = ["shapes.own.toml"]\n')
    done = run("check", "use.py")
    assert done.code == 2
    assert done.err.endswith("shapes.own.toml:1: format 9 is newer than the format this version reads, 1\n")


# --- models beside headers ------------------------------------------------------------------------

MODEL = """\
[library]
name = "tanks"
namespaces = ["tanks"]

[[status]]
types = ["tanks::Outcome"]
nodiscard = false
returned_by = ["tanks::Tank::Fill", "tanks::Tank::Level", "tanks::Empty"]

[[macro]]
names = ["TANK_DCHECK", "TANK_DCHECK_OK"]
role = "assert"

[[macro]]
pattern = ['TANK_RETURN_\\w+']
role = "return on failure"

[[function]]
names = ["tanks::Tank::Adopt", "tanks::Tank::Rinse"]
effect = "adopt argument 2 in receiver"

[[function]]
names = ["tanks::Tank::Clear", "tanks::Tank::Drain", "tanks::Pool::Clear"]
effect = "clear receiver"

[[function]]
name = "tanks::Make"
effect = ["own result", "keep argument 3 in result"]

[[class]]
names = ["tanks::Lock", "tanks::Hold"]
role = "guard"
argument = 2
"""

HEADER = """\
#pragma once
#include <elsewhere.h>
#define TANK_DROP(x) ((void)(x))
#ifdef NDEBUG
#define TANK_DCHECK(x)
#define TANK_DCHECK_OK(x) TANK_DROP(x)
#else
#define TANK_DCHECK(x) CHECK(x)
#define TANK_DCHECK_OK(x) CHECK(x)
#endif
#define TANK_RETURN_NOT_OK(x) do { auto s = (x); if (!s.ok()) return s; } while (0)
#define TANK_RETURN_LATER(x) tank_note(x)
namespace tanks {
class [[nodiscard]] Outcome {};
class Tank {
 public:
  Outcome Fill(int amount);
  int Level() const;
  void Adopt(void* owner);
  void Rinse(void* owner, void* with);
  void Clear() const;
  int capacity;
};
class Pool : public elsewhere::Pool {};
template <typename... A> void* Make(A&&... with);
class Lock { public: explicit Lock(int& mutex); };
class Hold { public: Hold(int kind, int& mutex); };
}
"""


@pytest.fixture
def headers(run: Run) -> Path:
    Path("tanks.toml").write_text(MODEL)
    Path("include").mkdir()
    Path("include/tank.h").write_text(HEADER)
    return Path("include")


def test_models_are_compared_with_headers(run: Run, headers: Path) -> None:
    done = run("model", "check", "tanks.toml", "--against", "include", "--no-cache")
    assert done.code == 1
    assert done.out.splitlines() == [
        (
            "tanks.toml:11: `TANK_DCHECK_OK` evaluates its argument in debug builds only, but in include/tank.h:6 it "
            "evaluates its argument in every build"
        ),
        "tanks.toml:15: `TANK_RETURN_LATER` returns if its argument failed, but in include/tank.h:12 it never returns",
        "tanks.toml:19: `tanks::Tank::Adopt` has an argument 2, but in include/tank.h:19 it takes 1 argument at most",
        (
            "tanks.toml:23: `tanks::Tank::Clear` changes its receiver (`clear receiver`), but in "
            "include/tank.h:21 it is `const`"
        ),
        "tanks.toml:23: `tanks::Tank::Drain` exists, but in include/tank.h:15 it is not a member of `tanks::Tank`",
        (
            "tanks.toml:31: `tanks::Lock` is constructed with a lock as argument 2, but in "
            "include/tank.h:26 it takes 1 argument at most"
        ),
        (
            "tanks.toml:6: `tanks::Outcome` can be discarded without a warning, "
            "but in include/tank.h:14 it is `[[nodiscard]]`"
        ),
        "tanks.toml:8: `tanks::Tank::Level` returns a `tanks::Outcome`, but in include/tank.h:18 it returns `int`",
    ]
    assert done.err.splitlines() == [
        "tanks.toml: 2 of 15 names are not found in any header: `tanks::Pool::Clear`, `tanks::Empty`",
        "8 differences between models and headers",
    ]


def test_differences_of_models_as_json(run: Run, headers: Path) -> None:
    done = run("model", "check", "tanks.toml", "--against", "include", "--no-cache", "-q", "--output-format", "json")
    said = json.loads(done.out)
    assert (done.code, done.err, len(said["differences"])) == (1, "", 8)
    assert said["differences"][0] == {
        "model": "tanks.toml",
        "model_line": 11,
        "name": "TANK_DCHECK_OK",
        "model_says": "evaluates its argument in debug builds only",
        "header": "include/tank.h",
        "header_line": 6,
        "header_says": "evaluates its argument in every build",
    }
    assert said["absent"] == [{"model": "tanks.toml", "names": ["tanks::Pool::Clear", "tanks::Empty"], "known": 15}]


def test_models_that_agree_with_the_headers_are_0(run: Run, headers: Path) -> None:
    Path("tanks.toml").write_text(
        '[library]\nname = "tanks"\n[[function]]\nname = "tanks::Tank::Rinse"\neffect = "clear receiver"\n'
    )
    done = run("model", "check", "tanks.toml", "--against", "include", "--no-cache")
    assert (done.code, done.out, done.err) == (0, "", "no differences between models and headers\n")


def test_the_built_in_models_are_compared_when_none_is_named(run: Run, headers: Path) -> None:
    Path("include/tank.h").write_text("namespace tanks { struct Tank { void Lock() const; }; }\n")
    done = run("model", "check", "--against", "include", "--no-cache")
    assert (done.code, done.out) == (0, "")
    assert done.err.splitlines()[0].startswith("most names of these models are not found in any header: absl, arrow, ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("model", "show", "gone.own.toml"), "error: gone.own.toml: No such file or directory\n"),
        (("model", "check", "."), "error: .: is a folder, not a file\n"),
        (("model", "check", "--against", "."), "error: .: no C++ headers found\n"),
        (("model", "check", "--against", "nowhere"), "error: nowhere: no such file or folder\n"),
        (("model", "check"), "error: name a contract FILE, or a folder of headers with --against\n"),
        (("model", "extract", "."), "error: .: no Python bindings found\n"),
        (
            ("model", "extract", ".", "--package", "a-b"),
            "error: --package: `a-b` is not the name of a Python package\n",
        ),
        (("model", "extract", "nowhere"), "error: nowhere: no such file or folder\n"),
        (("model", "forget"), "error: unknown command `forget`\n"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_2(run: Run, arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments)
    assert (done.code, done.out, done.err) == (2, "", message)


def test_an_environment_that_does_not_exist_is_2(run: Run) -> None:
    Path("use.py").write_text("import shapes\n")
    Path("ownlint.toml").write_text('environment = "venv"\n')
    done = run("check", "use.py")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "ownlint.toml:1: `venv`: no such folder" in done.err


STUB = """\
from typing import Optional
class Point: ...
class Doc:
    def at(self, index: int) -> Point: ...
    def last(self) -> "Optional[Point]": ...
    @property
    def twin(self) -> Doc | None: ...
def open_doc(path: str) -> Doc: ...
def sizes() -> list[int]: ...
"""


def test_stubs_beside_a_package_say_what_members_give(run: Run, project: Path) -> None:
    bindings = project / "src" / "bind.cc"
    lines = [
        '  m.def("open_doc", &elsewhere::open_doc);',
        '  m.def("sizes", &elsewhere::sizes);',
        '  py::class_<Book>(m, "Book").def_property_readonly("twin", &Book::twin);',
    ]
    bindings.write_text(BINDINGS.replace("  m.def(", "\n".join(lines) + "\n  m.def("))
    text = extract(run)
    Path("shapes.own.toml").unlink()
    site = Path("venv/lib/python3.11/site-packages")
    (site / "shapes").mkdir(parents=True)
    (site / "shapes.own.toml").write_text(text)
    (site / "shapes" / "__init__.py").write_text("")
    Path("ownlint.toml").write_text('environment = "venv"\n')
    Path("use.py").write_text(
        "import shapes\n\n\ndef first(path):\n    doc = shapes.open_doc(path)\n    head = doc.at(0)\n"
        "    doc.add(shapes.Point())\n    return head.x\n"
    )
    assert run("check", "use.py", "-q").code == 0, "nobody says what `open_doc` gives"
    (site / "shapes" / "_core.pyi").write_text(STUB)
    done = run("check", "use.py", "--output-format", "concise", "-q")
    assert "use.py:8:12: error[part-used-after-change] `head` is used after `doc.add(shapes.Point())`" in done.out


def test_stubs_of_the_project_itself_are_in_its_contract(run: Run, project: Path) -> None:
    bindings = project / "src" / "bind.cc"
    bindings.write_text(BINDINGS.replace("  m.def(", '  m.def("open_doc", &elsewhere::open_doc);\n  m.def('))
    (project / "src" / "_core.pyi").write_text(STUB)
    text = extract(run)
    assert 'name = "open_doc"\nkind = "function"\n' in text
    assert 'names = ["path"]\nreturns = "Doc"\n' in text


@pytest.mark.parametrize(
    "text", ["def f(", "class" * 9, "(" * 5000, "\0", "def f() -> " + "a[" * 500 + "]" * 500 + ": ..."]
)
def test_a_broken_stub_says_nothing(run: Run, project: Path, text: str) -> None:
    (project / "src" / "_core.pyi").write_text(text)
    assert "[[member]]" in extract(run)


def test_a_model_with_former_tables_is_heard_and_told_of(run: Run) -> None:
    Path("blocks.toml").write_text(
        '[library]\nname = "blocks"\nlanguages = "python"\n\n'
        '[[memory.type]]\nname = "blocks.Block"\n[[memory.type]]\nname = "blocks._Number"\nrole = "address"\n'
        '[[memory.function]]\non = "Block"\nname = "__init__"\nreturns = "self"\nkeeps = "own"\n'
        '[[memory.function]]\non = "Block"\nname = "address_of_all"\nreturns = "_Number"\nkeeps = "none"\n'
    )
    Path("ownlint.toml").write_text('models = ["blocks.toml"]\n')
    Path("use.py").write_text("import blocks\n\n\ndef number():\n    return blocks.Block(2).address_of_all()\n")
    for _ in range(2):  # the second answer is remembered
        done = run("check", "use.py", "--output-format", "concise")
        assert "use.py:5:12: error[address-outlives-owner]" in done.out
        (told,) = [line for line in done.err.splitlines() if "memory.type" in line]
        assert told.startswith("note: ")
        assert "blocks.toml:5: `[[memory.type]]` was replaced by `[[python.class]]` with `memory`" in told
    assert "memory.type" not in run("check", "use.py", "--quiet").err
