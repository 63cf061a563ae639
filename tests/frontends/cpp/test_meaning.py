"""What libclang says, at the byte it says it about; and what hostile input does to it.

Everything is read in a child, as in a run: a crash here must not end the tests.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from ownlint.facts.records import FileRecord, Meaning, decode_file
from ownlint.facts.vocabulary import Vocabulary
from ownlint.frontends import extract as subject
from ownlint.frontends.cpp.shared import Unit, shared
from ownlint.frontends.extract import Extracted, Task, extract
from ownlint.frontends.worker import Handshake
from ownlint.sources import headers
from ownlint.sources.arguments import allowed
from ownlint.sources.compilation import Command

MEANING_ONLY = """
import sys
sys.path += sys.argv[1:]
from ownlint.frontends import worker
from ownlint.facts.records import FileRecord

def structure(self, request, data):
    self._last = (request.absolute, data, FileRecord(request.path, "cpp", len(data)))
    return self._last[2]

worker.WorkerReader._structure = structure
worker.main()
"""


@pytest.fixture(autouse=True)
def _no_structure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "_START", MEANING_ONLY)


def run(
    *paths: Path,
    arguments: tuple[str, ...] = ("-std=c++17",),
    deadline: float = 60,
    jobs: int = 1,
    memory: int = 4 << 30,
) -> list[Extracted]:
    commands = [Command(arguments, str(path.parent), False) for path in paths]
    work = [Task("cpp", p.name, str(p), command, True) for p, command in zip(paths, commands, strict=True)]
    return list(extract(work, Vocabulary(), jobs, deadline, limits=Handshake(Vocabulary(), memory=memory)))


def read(folder: Path, source: str | bytes, **more: object) -> FileRecord:
    path = folder / "file.cc"
    path.write_bytes(source.encode() if isinstance(source, str) else source)
    return decode_file(run(path, **more)[0].encoded)  # type: ignore[arg-type]


def said(file: FileRecord, source: str, text: str, number: int = 0) -> Meaning | None:
    """What is said of the `number`th occurrence of `text`."""
    start = -1
    for _ in range(number + 1):
        start = source.encode().index(text.encode(), start + 1)
    return next((meaning for meaning in file.meanings if meaning.start == start), None)


def reasons(file: FileRecord) -> list[str]:
    assert all(problem.kind in ("headers", "types", "limit") for problem in file.problems)
    return [problem.reason for problem in file.problems]


SOURCE = """\
namespace lib { inline namespace v2 {
struct Child { int n; };
namespace { struct Hidden { Child child; }; }
template <typename T> struct Box { T& get(); T value; Box(T v); Box(); };
struct Parent {
  Parent(int);
  ~Parent();
  Child& child() const;
  static Parent* make();
  Child child_;
};
Parent::Parent(int) : child_() {}
Child& Parent::child() const { return const_cast<Child&>(child_); }
}}
struct Binder { template <typename F> Binder& def(const char*, F) { return *this; } };
#define CHECKED(x) do { if (!(x)) lib::Parent::make(); } while (0)
#define USE(x) (x)
/* é: bytes, not characters */
void bind(Binder& b, const lib::Box<int>& box) {
  b.def("child", &lib::Parent::child).def("n", [](lib::Parent& p) -> lib::Child& { return p.child(); });
  lib::Parent local(3);
  auto other = lib::Parent(4);
  lib::Box<long> boxed(5L);
  auto* made = new lib::Parent(6);
  USE(local.child().n);
  CHECKED(made);
  auto& kid = made->child_;
  int plain = kid.n + box.value;
}
"""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> FileRecord:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subject, "_START", MEANING_ONLY)
        return read(tmp_path_factory.mktemp("table"), SOURCE)


def check(
    table: FileRecord, text: str, symbol: str, type_: str, owner: str = "", number: int = 0, skip: int = 0
) -> None:
    found = said(table, SOURCE, text, number) if not skip else None
    if skip:
        start = SOURCE.encode().index(text.encode()) + skip
        found = next((meaning for meaning in table.meanings if meaning.start == start), None)
    assert found is not None
    assert (found.symbol, found.type, found.owner) == (symbol, type_, owner)


def test_a_small_file_is_typed_without_a_problem(table: FileRecord) -> None:
    assert table.typed
    assert table.problems == ()
    assert list(table.meanings) == sorted(table.meanings, key=lambda meaning: meaning.start)
    assert len({meaning.start for meaning in table.meanings}) == len(table.meanings)


def test_a_bound_method_is_named_by_what_is_taken_the_address_of(table: FileRecord) -> None:
    check(table, "&lib::Parent::child)", "lib::Parent::child", "lib::Child &", "lib::Parent", skip=14)


def test_a_call_has_the_result_its_callee_declares(table: FileRecord) -> None:
    check(table, "p.child()", "lib::Parent::child", "lib::Child &", "lib::Parent", skip=2)
    check(table, 'def("n"', "Binder::def", "Binder &", "Binder")


def test_a_lambda_has_its_result_at_its_bracket(table: FileRecord) -> None:
    check(table, "[](lib", "", "lib::Child &")


def test_a_constructor_is_recorded_at_the_types_name(table: FileRecord) -> None:
    for text in ("Parent local", "Parent(4)", "Parent(6)"):
        check(table, text, "lib::Parent::Parent", "lib::Parent", "lib::Parent")
    check(table, "Box<long>", "lib::Box::Box", "lib::Box<long>", "lib::Box")


def test_variables_parameters_and_fields_have_their_declared_types(table: FileRecord) -> None:
    check(table, "local(3)", "local", "lib::Parent")
    check(table, "boxed", "boxed", "lib::Box<long>")
    check(table, "kid =", "kid", "lib::Child &")
    check(table, "box)", "box", "const lib::Box<int> &")
    check(table, "box.value", "box", "const lib::Box<int> &")
    check(table, "child_;\n  int", "lib::Parent::child_", "lib::Child", "lib::Parent")
    check(table, "child_;\n};", "lib::Parent::child_", "lib::Child", "lib::Parent")


def test_a_definition_is_named_where_it_stands(table: FileRecord) -> None:
    check(table, "child() const {", "lib::Parent::child", "lib::Child &", "lib::Parent")
    check(table, "bind(", "bind", "void")


def test_a_macros_argument_is_where_it_was_written_and_its_body_is_nowhere(table: FileRecord) -> None:
    check(table, "child().n", "lib::Parent::child", "lib::Child &", "lib::Parent")
    assert said(table, SOURCE, "CHECKED(made)") is None
    check(table, "made);\n  auto& kid", "made", "lib::Parent *")


# --- files as they are ---------------------------------------------------------------------------


def test_bytes_count_with_a_byte_order_mark_and_carriage_returns(tmp_path: Path) -> None:
    source = "\ufeffint é_value;\r\nint f() { return é_value; }\r\n"
    found = said(read(tmp_path, source), source, "é_value; }")
    assert found is not None
    assert (found.symbol, found.end - found.start) == ("é_value", len("é_value".encode()))


def test_missing_headers_are_named_and_the_rest_is_still_there(tmp_path: Path) -> None:
    lines = "".join(f'#include "a/{name}.h"\n' for name in "bcdefg")
    source = lines + "struct S { int n; }; int f(S& s) { return s.n; }"
    file = read(tmp_path, source)
    assert reasons(file) == ["6 headers not found: a/b.h, a/c.h, a/d.h, a/e.h, …"]
    assert not file.typed
    assert said(file, source, "n; }", 1) is not None


def test_an_error_is_shown_with_its_line(tmp_path: Path) -> None:
    file = read(tmp_path, "int a;\nUnknown b;\nOther c;\n")
    assert reasons(file) == ["2 errors, the first in line 2: unknown type name 'Unknown'"]
    assert not file.typed


def test_what_c_names_by_a_typedef_keeps_that_name(tmp_path: Path) -> None:
    source = """\
typedef struct _object { int count; } Object;
typedef struct stream_st* stream_t;
typedef struct known_st { int n; }* known_t;
stream_t open();
stream_t* streams();
Object* make(const Object* from);
known_t known();
auto again = open();
const stream_t fixed = open();
"""
    file = read(tmp_path, source)
    types = {meaning.symbol: meaning.type for meaning in file.meanings}
    assert (types["open"], types["again"], types["streams"]) == ("stream_t", "stream_t", "stream_t *")
    assert types["fixed"] == "stream_t const"
    assert (types["make"], types["from"], types["known"]) == ("Object *", "const Object *", "known_st *")


def test_a_template_without_a_body_is_the_linkers_affair(tmp_path: Path) -> None:
    source = """\
template <typename F> void run(F f);
void use() { run([] { return 1; }); }
"""
    file = read(tmp_path, source)
    assert file.typed
    assert not reasons(file)


def test_the_headers_that_were_read_are_dependencies(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/a.h").write_text('#include "../b.h"\n')
    (tmp_path / "b.h").write_text("")
    (tmp_path / "file.cc").write_text('#include "sub/a.h"\n')
    (found,) = run(tmp_path / "file.cc")
    assert found.dependencies == (str(tmp_path / "b.h"), str(tmp_path / "sub/a.h"))


@pytest.mark.skipif(not headers.find().source, reason="no C++ headers here")
def test_the_standard_library_is_found(tmp_path: Path) -> None:
    source = "#include <string>\n#include <vector>\nauto f(std::vector<std::string>& v) { return v.front().size(); }\n"
    file = read(tmp_path, source, arguments=("-std=c++17", *headers.find().arguments))
    assert reasons(file) == []
    found = said(file, source, "front")
    assert found is not None
    assert (found.symbol, found.owner) == ("std::vector::front", "std::vector")
    assert found.type.startswith("std::basic_string<char>") or "value_type &" in found.type


# --- headers parsed ahead ------------------------------------------------------------------------


def many(folder: Path) -> list[Path]:
    (folder / "common.h").write_text("#pragma once\nnamespace c { struct T { T& self(); }; }\n")
    (folder / "own.h").write_text('#ifndef OWN\n#define OWN\n#include "common.h"\nstruct Own : c::T {};\n#endif\n')
    paths = [folder / f"{name}.cc" for name in "abcde"]
    for path in paths:
        path.write_text('#include "own.h"\nc::T& f(Own& own) { return own.self(); }\n')
    return paths


def test_what_all_include_is_shared_and_nothing_else(tmp_path: Path) -> None:
    *paths, other, macro = many(tmp_path)
    other.write_text("int none;\n")
    macro.write_text('#define UNUSED 1\n#include "own.h"\n')
    found = shared([Unit(str(path), ("-std=c++17",), str(tmp_path)) for path in (*paths, other, macro)])
    assert found == {str(path): (f'#include "{tmp_path}/own.h"',) for path in (*paths, macro)}


def test_a_header_that_reads_a_macro_of_its_includer_is_not_shared(tmp_path: Path) -> None:
    (tmp_path / "size.h").write_text("#pragma once\nint size[SIZE];\n")
    (tmp_path / "plain.h").write_text("#pragma once\nint plain;\n")
    paths = [tmp_path / f"{name}.cc" for name in "abc"]
    for path in paths:
        path.write_text('#define SIZE 3\n#include "size.h"\n#include "plain.h"\n')
    found = shared([Unit(str(path), (), str(tmp_path)) for path in paths])
    assert found == {str(path): (f'#include "{tmp_path}/plain.h"',) for path in paths}


def test_sharing_changes_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = many(tmp_path)
    together = run(*paths)
    monkeypatch.setattr(subject, "_sharing", lambda tasks: tasks)
    alone = run(*paths)
    assert together == alone
    assert all(decode_file(found.encoded).typed for found in together)


def test_a_header_that_cannot_be_parsed_ahead_is_read_by_each_file(tmp_path: Path) -> None:
    paths = many(tmp_path)
    (tmp_path / "own.h").write_text("#pragma once\nstruct Own : Missing {};\n")
    files = [decode_file(found.encoded) for found in run(*paths)]
    assert all(file.problems and not file.typed for file in files)


# --- hostile -------------------------------------------------------------------------------------


def test_a_header_that_includes_itself_ends(tmp_path: Path) -> None:
    (tmp_path / "loop.h").write_text('#include "loop.h"\nint x;\n')
    file = read(tmp_path, '#include "loop.h"\nint y;\n')
    assert not file.typed
    assert reasons(file)


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/urandom", "fifo", "../fifo"])
def test_a_device_is_not_opened(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "sub"
    folder.mkdir()
    os.mkfifo(tmp_path / "fifo")
    os.mkfifo(folder / "fifo")
    before = time.monotonic()
    assert reasons(read(folder, f'int a;\n # include "{name}"\n')) == [f"{name} is not a regular file"]
    assert time.monotonic() - before < 10


def test_types_that_are_not_deduced_end(tmp_path: Path) -> None:
    """clang calls `auto` its own pointee: who looks for the end of the pointers must not wait for it."""
    source = """\
template <typename T> struct Holder {
  T* held;
  int T::*member;
  auto get() { return held->get(); }
  decltype(auto) same(T& other) { return (other.value); }
};
auto later();
auto generic = [](auto x, auto** y) { return x.f(y); };
template <auto V> struct Constant { static constexpr auto value = V; };
template <typename... A> auto sum(A&&... a) { return [&](auto&&... b) { return (b(a...) + ...); }; }
"""
    file = read(tmp_path, source, deadline=10)
    assert not reasons(file)
    assert file.typed
    get = said(file, source, "get()")
    assert get is not None
    assert (get.symbol, get.type) == ("Holder::get", "auto")


def test_a_device_behind_a_macro_meets_the_deadline_or_the_limit(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    file = read(tmp_path, '#define F "fifo"\n#include F\n', deadline=2)
    assert reasons(file) == ["not read within 2 s"]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("void f() {{}}\n", "f"),
        ('REGISTER("{0}");\n', "REGISTER"),
        ("static int *const table[{0}] = {{}};\n", "table"),
        ("pool_;\n", "pool_"),
        ("namespace n {{ template <class T> int g(T t) {{ return {0}; }} }}\n", "g"),
        ("}};  pool_;\n", "pool_"),
        ("\n int a;\n\n}}\n", "a"),
    ],
)
def test_a_name_declared_thousands_of_times_costs_the_file_its_types(tmp_path: Path, line: str, name: str) -> None:
    """libclang compares each with all before it: 20,000 of them take it minutes."""
    file = read(tmp_path, "".join(line.format(number) for number in range(20_000)), deadline=30)
    assert reasons(file) == [f"{name} is declared 20000 times, which would take libclang too long"]
    assert not file.typed


@pytest.mark.parametrize("line", ["std::lock_guard<{0}int>{{mu}};", "return a < {0}c(mu);", "call(x<{0}y>(z));"])
def test_names_that_may_be_templates_nested_deep_cost_the_file_its_types(tmp_path: Path, line: str) -> None:
    """libclang guesses for each whether it is one, and twice as long with each more: 30 of them take it an hour."""
    file = read(tmp_path, "int f() {\n  " + line.format("b< " * 30) + "\n}\n", deadline=30)
    assert reasons(file) == ["template arguments are nested too deeply for libclang"]
    assert not file.typed


def test_words_that_are_common_are_no_declarations(tmp_path: Path) -> None:
    functions = (f"int f{number}(int x) {{ int y = x; put(x, y); return y; }}\n" for number in range(3_000))
    file = read(tmp_path, "void put(int, int);\n" + "".join(functions))
    assert reasons(file) == []
    assert file.typed


def test_long_chains_do_not_end_the_child(tmp_path: Path) -> None:
    file = read(tmp_path, "int x = " + "+".join(["1"] * 20_000) + ";\nint f() { return x; }\n")
    assert reasons(file) == []
    assert file.typed


def test_deep_nesting_is_a_problem(tmp_path: Path) -> None:
    file = read(tmp_path, "int x = " + "(" * 10_000 + "1" + ")" * 10_000 + ";\n")
    assert "bracket nesting level" in reasons(file)[0]


def test_a_pragma_that_crashes_clang_costs_one_file(tmp_path: Path) -> None:
    bad, good = tmp_path / "bad.cc", tmp_path / "good.cc"
    bad.write_text("int a;\n#pragma clang __debug crash\nint b;\n")
    good.write_text("int a;\n")
    crashed, fine = (decode_file(found.encoded) for found in run(bad, good))
    assert reasons(crashed)
    assert fine.typed


def lost(folder: Path, content: str, **more: object) -> str:
    """Why a file has no types, which the one read after it has."""
    bad, good = folder / "bad.cc", folder / "good.cc"
    bad.write_text(content)
    good.write_text("int a;\n")
    first, second = (decode_file(found.encoded) for found in run(bad, good, **more))  # type: ignore[arg-type]
    assert (first.typed, second.typed) == (False, True)
    (reason,) = reasons(first)
    return reason


def test_a_file_that_expands_without_end_meets_the_deadline(tmp_path: Path) -> None:
    """Ten macros that each repeat the last one ten times make ten thousand million declarations."""
    macros = (f"#define M{level + 1} {' '.join([f'M{level}'] * 10)}\n" for level in range(10))
    assert lost(tmp_path, "#define M0 int f();\n" + "".join(macros) + "M10\n", deadline=2) == "not read within 2 s"


def test_a_file_that_needs_too_much_memory_costs_itself(tmp_path: Path) -> None:
    reason = lost(tmp_path, f"int a[] = {{{'1,' * 600_000}}};\n", memory=720 << 20)
    assert reason.startswith(("the parser crashed (SIG", "libclang crashed"))


def test_the_content_of_another_file_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("Password hunter2;\n")
    assert reasons(read(tmp_path, f'#include "{tmp_path}/secret"\n')) == ["1 error in headers"]


def test_a_file_that_is_none_of_ours_costs_the_types(tmp_path: Path) -> None:
    """Also behind the first declaration, where libclang does not list what is included."""
    (tmp_path / "secret").write_text("hunter2,\n")
    project = tmp_path / "project"
    project.mkdir()
    (project / "own").write_text("own,\n")
    source = '#define WHERE "../secret"\nenum E {\n#include WHERE\n};\n'
    source += "template <E> struct P {};\nP<static_cast<E>(0)> shown;\n"
    outside, inside = read(project, source), read(project, source.replace("../secret", "own"))
    assert not outside.meanings
    assert not outside.typed
    assert reasons(outside) == ["includes secret, which is outside the project and its include folders"]
    assert said(inside, source.replace("../secret", "own"), "shown").type == "P<own>"


def test_a_header_behind_the_first_declaration_is_a_dependency(tmp_path: Path) -> None:
    for name in ("first.h", "late.h", 'a "b" \\c.h'):
        (tmp_path / name).write_text("\n")
    (tmp_path / "file.cc").write_text('#include "first.h"\nint a;\n#include "late.h"\n#include <a "b" \\c.h>\n')
    found = run(tmp_path / "file.cc", arguments=("-std=c++17", f"-I{tmp_path}"))[0].dependencies
    assert found == tuple(sorted(str(tmp_path / name) for name in ("first.h", "late.h", 'a "b" \\c.h')))


def test_dependency_files_are_not_written(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    command = (
        f"-std=c++17 -MD -MF {victim} -MJ {victim} -o {victim} -Xclang -dependency-dot -Xclang {victim} -fplugin=e.so"
    )
    file = read(tmp_path, "int a;\n", arguments=allowed(command.split(), str(tmp_path), ()))
    assert file.typed
    assert victim.read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file.cc", "victim"]
