"""What is kept from run to run: after an edit, what rests on something that says something else is asked again, and
nothing besides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from ownlint import catalogue, patterns
from ownlint.facts import records as r
from ownlint.incremental import changes, kept
from ownlint.incremental.comparing import Comparison
from ownlint.incremental.kept import FactsEntry, KeptFindings, KeptProject
from ownlint.incremental.notebook import Notebook, ProjectNotes, ProjectThen, answer_prints, merged
from ownlint.project import questions
from ownlint.project.program import Program
from ownlint.project.subjects import Function
from ownlint.testing import cases
from ownlint.testing.markdown import parse

HEADER = "struct Session { int size; };\nvoid* open_session(int);\nvoid end_session(void*);\n"
HELPER = """\
#include <cstdlib>
#include "session.h"
void* open_session(int size) { return malloc(size); }
void end_session(void* one) { free(one); }
"""
USER = """\
#include "session.h"
int work(int size) {
  void* one = open_session(size);
  if (size > 3) return 1;
  end_session(one);
  return 0;
}
int twice(int size) { return 2 * size; }
"""
FILES = {"session.h": HEADER, "session.cc": HELPER, "work.cc": USER}
RULES = tuple(rule for rule in catalogue.load() if rule.subject != "Program" and "cpp" in rule.languages)


def program_of(files: Mapping[str, str]) -> Program:
    blocks = "".join(f"```cpp {name}\n{text}```\n\n" for name, text in files.items())
    return cases.read(parse(f"# x\n\n## Innocent\n\n### A project\n\n{blocks}")[0], RULES)[0]


def entries(program: Program) -> dict[str, FactsEntry]:
    return {
        path: FactsEntry(file.language, file.module, r.encode_file(file).hex(), path)
        for path, file in program.said.items()
    }


def judged(program: Program, notebook: Notebook) -> Notebook:
    """What holds is kept, all else is asked."""
    names = catalogue.SubjectNames()
    for case in catalogue.cases(RULES, program):
        name = names.of(case)
        if (held := notebook.holding.get(name)) is not None:
            notebook.keep(name, held)
            continue
        with questions.noting() as notes:
            catalogue.begin(case.subject)
            findings = []
            for judgement in case.judgements():
                found = catalogue.judge(judgement, program)
                assert isinstance(found, list), found
                findings += found
        notebook.note(name, notes, findings)
    return notebook


class Project:
    """Asked once, then edited and asked again."""

    def __init__(self, files: Mapping[str, str] = FILES, asking: Callable[[Program], object] | None = None) -> None:
        self.program = program_of(files)
        if asking is not None:
            asking(self.program)
        self.write(judged(self.program, Notebook(self.program)), ())

    def write(self, notebook: Notebook, then: Sequence[ProjectThen]) -> None:
        """Keeps what was found out."""
        notes = ProjectNotes(self.program, then)
        project = notes.written(entries(self.program), answer_prints(self.program))
        decoded = kept.decode(kept.encode(notebook.written()))
        decoded_project = kept.decode_project(kept.encode(project))
        assert decoded is not None
        assert decoded_project is not None
        self.kept: KeptFindings = decoded
        self.of_all: KeptProject = decoded_project

    def facts(self, path: str) -> bytes | None:
        return r.encode_file(self.program.said[path])

    def standing(self, now: Program) -> Comparison:
        return Comparison(self.of_all, now, entries(now), self.facts)

    def edited(self, files: Mapping[str, str]) -> set[str]:
        """Names of the functions that are asked again; what is said afterwards is what a run from nothing says."""
        now = program_of(files)
        holds = self.standing(now).subjects(self.kept)
        after = judged(now, Notebook(now, self.kept, holds)).written()
        fresh_program = program_of(files)
        from_nothing = judged(fresh_program, Notebook(fresh_program)).written()
        assert {name: one.findings for name, one in after.subjects.items()} == {
            name: one.findings for name, one in from_nothing.subjects.items()
        }
        return {name.split("\0")[-1].partition("#")[0] for name in after.subjects.keys() - holds.keys()}


@pytest.fixture(scope="module")
def project() -> Project:
    return Project()


def test_there_is_something_to_keep(project: Project) -> None:
    assert any(one.findings for one in project.kept.subjects.values())


def test_nothing_changed(project: Project) -> None:
    assert project.edited(FILES) == set()


def test_a_comment_costs_what_stands_behind_it(project: Project) -> None:
    """The finding in `work` has another place; what is silent stays silent wherever it stands."""
    assert project.edited({**FILES, "work.cc": "// seen\n" + USER}) == {"work"}
    assert project.edited({**FILES, "session.cc": "// seen\n" + HELPER}) <= {"work"}
    assert project.edited({**FILES, "session.cc": HELPER.replace("{ free", "{\n\n  // gone\n  free")}) <= {"work"}


CONDITIONAL = """\
SHOWN void traces_to(const char* path);
struct SHOWN Session {
  int size;
};
#ifdef TRACED
int traces;
#endif
int traced(Session* one) {
#ifdef TRACED
  ++traces;
#endif
  return one->size;
}
"""


def test_comments_between_members_and_around_conditions_change_nothing() -> None:
    def keys(text: str) -> frozenset[questions.Key]:
        before, after = program_of({"one.cc": CONDITIONAL}), program_of({"one.cc": text})
        return changes.ChangedKeys(before.said, after.said).keys

    def at(part: str) -> questions.Key:
        return "file", "one.cc", part

    placed = {at("comments"), at("comment_lines"), at("excuses"), at("size")}
    assert keys("// seen\n" + CONDITIONAL) <= placed
    assert keys(CONDITIONAL.replace("int size;", "int size;\n\n  // seen")) <= placed
    assert keys(CONDITIONAL.replace("  ++traces", "  // seen\n  ++traces")) <= placed
    moved = CONDITIONAL.replace("#endif\nint traced", "int traced").replace("}\n", "}\n#endif\n")
    assert at("conditional") in keys(moved)
    assert at("classes") in keys(CONDITIONAL.replace("int size", "long size"))


def test_which_functions_a_change_touches() -> None:
    def touched(now: Mapping[str, str], renamed: Mapping[str, str]) -> set[str]:
        then, after = program_of(FILES), program_of(now)
        return {key[2] for key in changes.touched(then.said.values(), after.said.values(), renamed)}

    edited = {**FILES, "work.cc": "// seen\n" + USER.replace("2 * size", "3 * size")}
    assert touched(edited, {"work.cc": "work.cc"}) == {"twice#0"}
    assert touched(edited, {"work.cc": ""}) == {"twice#0", "work#0"}
    assert touched(edited, {"session.cc": "session.cc"}) == set()
    moved = {"session.h": HEADER, "session.cc": HELPER, "worker.cc": USER}
    assert touched(moved, {"worker.cc": "work.cc"}) == {"twice#0", "work#0"}


def test_a_body_costs_those_that_rest_on_it(project: Project) -> None:
    assert project.edited({**FILES, "work.cc": USER.replace("2 * size", "3 * size")}) == {"twice", "work"}
    again = project.edited({**FILES, "session.cc": HELPER.replace("free(one)", "free(one); one = nullptr")})
    assert {"end_session", "work"} <= again
    assert "twice" not in again


def test_a_helper_that_ends_nothing_any_more(project: Project) -> None:
    again = project.edited({**FILES, "session.cc": HELPER.replace("free(one);", "")})
    assert {"end_session", "work"} <= again


def test_a_name_that_comes_into_being(project: Project) -> None:
    """Absence was noted, too."""
    assert "open_session" in project.edited({**FILES, "more.cc": "void* malloc(int) { return nullptr; }\n"})


def test_a_file_that_goes(project: Project) -> None:
    assert "work" in project.edited({name: text for name, text in FILES.items() if name != "session.cc"})


def test_facts_that_are_not_there_any_more(project: Project) -> None:
    now = program_of({**FILES, "work.cc": USER + "// the end\n"})
    assert Comparison(project.of_all, now, entries(now), lambda path: None).subjects(project.kept) == {}


def test_two_workers_write_what_one_writes(project: Project) -> None:
    one = project.kept
    names = sorted(one.subjects)
    parts = []
    for mine in (names[::2], names[1::2]):
        part = kept.decode(kept.encode(one))
        assert part is not None
        part.subjects = {name: one.subjects[name] for name in mine}
        part.keys = [*part.keys, ("name", mine[0])]
        parts.append(part)
    both = merged(parts)
    for name, said in one.subjects.items():
        assert {one.keys[n] for n in kept.numbers(said.keys)} == {
            both.keys[n] for n in kept.numbers(both.subjects[name].keys)
        }
        assert both.subjects[name].findings == said.findings


ASKED: list[str] = []


@questions.each_function
def _allocating(function: Function) -> list[str] | None:
    ASKED.append(function.name)
    return [function.name] if function.mentions("malloc") else None


def test_of_each_function_only_the_changed_are_asked() -> None:
    def asked_of(project: Project, files: Mapping[str, str]) -> tuple[list[str], list[list[str]]]:
        now = program_of(files)
        ASKED.clear()
        standing = project.standing(now)
        asked, said = sorted(ASKED), list(_allocating(now).values())
        notebook = judged(now, Notebook(now, project.kept, standing.subjects(project.kept)))
        project.program = now
        project.write(notebook, [ProjectThen(project.of_all, standing.same)])
        return asked, said

    project = Project(asking=_allocating)
    grown = USER.replace("2 * size", "3 * size")
    assert asked_of(project, FILES) == ([], [["open_session"]])
    assert asked_of(project, {**FILES, "work.cc": grown}) == (["twice"], [["open_session"]])
    allocates = grown.replace("return 3 * size", "return malloc(size) != 0")
    assert asked_of(project, {**FILES, "work.cc": allocates}) == (
        ["twice"],
        [["open_session"], ["twice"]],
    )
    assert asked_of(project, {**FILES, "work.cc": allocates + "// end\n"})[0] == []
    assert asked_of(project, {**FILES, "work.cc": grown}) == (["twice"], [["open_session"]])


@questions.program_question
def _releasing(program: Program) -> list[str]:
    ASKED.append("releasing")
    return [one.name for one in program.calling({"free"})]


@questions.program_question
def _returning(program: Program) -> list[str]:
    ASKED.append("returning")
    return [one.name for one in program.saying(patterns.strings(["return"]))]


@questions.program_question
def _saying_size(program: Program) -> list[str]:
    ASKED.append("saying size")
    return [one.name for one in program.saying(patterns.Quoted("size"))]


def test_who_asks_for_some_functions_rests_on_which_they_are() -> None:
    def ask(program: Program) -> list[list[str]]:
        return [_releasing(program), _returning(program), _saying_size(program)]

    def asked_of(files: Mapping[str, str]) -> list[str]:
        now = program_of(files)
        ASKED.clear()
        project.standing(now)
        asked = list(ASKED)
        assert ask(now) == ask(program_of(files))
        return asked

    project = Project(asking=ask)
    assert asked_of({**FILES, "work.cc": "// seen\n" + USER}) == []
    assert asked_of({**FILES, "work.cc": USER.replace("2 * size", "3 * size")}) == []
    assert asked_of({**FILES, "work.cc": USER + "void idle() {}\n"}) == []
    assert asked_of({**FILES, "work.cc": USER + "int one() { return 1; }\n"}) == ["returning"]
    assert asked_of({**FILES, "work.cc": USER + "void drop(void* one) { free(one); }\n"}) == ["releasing"]
    assert asked_of({**FILES, "work.cc": USER.replace("2 * size", "2")}) == ["saying size"]
    assert asked_of({**FILES, "session.cc": HELPER.replace("free(one)", "drop(one)")}) == ["releasing"]
    turned = HELPER.replace("void end_session(void* one) { free(one); }\n", "")
    turned = turned.replace("void* open", "void end_session(void* one) { free(one); }\nvoid* open")
    assert asked_of({**FILES, "session.cc": turned})


def test_what_is_no_memory_is_none() -> None:
    assert kept.decode(b"") is None
    assert kept.decode(b"x\x9c") is None
    assert kept.decode(kept.encode(KeptFindings())[:-3]) is None
