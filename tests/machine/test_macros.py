"""What a macro does: its own `#define`s, and what a model says of it where they do not contradict that."""

from __future__ import annotations

from pathlib import Path

import pytest

import ownlint_rules
from ownlint.facts import records as r
from ownlint.frontends.cpp.preprocess import prepare
from ownlint.models.libraries import Models, load
from ownlint.project.macros import Macros


@pytest.fixture(scope="module")
def models() -> Models:
    return load([Path(next(iter(ownlint_rules.__path__))) / "models"])


def macros(models: Models, *texts: str) -> Macros:
    vocabulary = models.vocabulary()
    return Macros(
        [
            r.FileRecord(f"{number}.h", "cpp", len(text), macros=prepare(text.encode(), vocabulary).macros)
            for number, text in enumerate(texts)
        ],
        models,
    )


IGNORING = "#define IGNORE_EXPR(expr) ((void)(expr))\n"


def either(release: str, debug: str) -> str:
    return f"#ifdef NDEBUG\n#define {release}\n#else\n#define {debug}\n#endif\n"


@pytest.mark.parametrize(
    ("text", "name", "role"),
    [
        ("", "DCHECK_EQ", "assert"),
        ("", "DCHECK_OK", "evaluated assert"),
        # the build without checks still evaluates
        (
            IGNORING + either("DCHECK_OK(s) IGNORE_EXPR(s); while (false) NullLog()", "DCHECK_OK(s) CHECK_OK(s)"),
            "DCHECK_OK",
            "evaluated assert",
        ),
        ("#define DCHECK_OK(s) static_cast<void>(s)\n", "DCHECK_OK", "evaluated assert"),
        ("#define assert(x) ((void)(x))\n", "assert", "evaluated assert"),
        ("#define CHECK_EQ(a, b) ((void)(a))\n", "CHECK_EQ", "evaluated assert"),
        # another name for it
        (
            IGNORING + either("OWN_OK(s) IGNORE_EXPR(s)", "OWN_OK CHECK_OK") + "#define DCHECK_OK OWN_OK\n",
            "DCHECK_OK",
            "evaluated assert",
        ),
        ("#define VERIFY CHECK\n", "VERIFY", "check"),
        ("#define DCHECK CHECK\n", "DCHECK", "check"),
        # always checks
        ("#define DCHECK(x) do { if (!(x)) abort(); } while (0)\n", "DCHECK", "check"),
        ("#define MY_ASSERT(x) CHECK(x)\n", "MY_ASSERT", "check"),
        # is empty in one build, whatever emptiness looks like
        (either("CHECK(x)", "CHECK(x) if (!(x)) abort()"), "CHECK", "assert"),
        (either("DCHECK(x) CHECK(true || (x))", "DCHECK(x) CHECK(x)"), "DCHECK", "assert"),
        (
            "#define EAT(x) true ? (void)0 : Sink() & (x)\n" + either("DCHECK(x) EAT(!(x))", "DCHECK(x) CHECK(x)"),
            "DCHECK",
            "assert",
        ),
        ("#define DCHECK(x) ((void)sizeof(x))\n", "DCHECK", "assert"),
        ("#define DCHECK(x) note(#x)\n", "DCHECK", "assert"),
        # by way of another that is empty in one build
        (
            either("plain_assert(x)", "plain_assert(x) assert(x)") + "#define eigen_assert(x) plain_assert(x)\n",
            "eigen_assert",
            "assert",
        ),
        (
            either("PLAIN(x, ...)", "PLAIN(x, ...) stop_unless(x)") + "#define DCHECK_EQ(x, y) PLAIN((x) == (y), 1)\n",
            "DCHECK_EQ",
            "assert",
        ),
        # one build evaluates, one does nothing
        (
            IGNORING + "#define DCHECK(x) IGNORE_EXPR(x)\n" + either("DCHECK(x) while (0) f(x)", "DCHECK(x) CHECK(x)"),
            "DCHECK",
            "assert",
        ),
        # leaves, and does not
        ("#define CHECK_STEP(x) if ((rc = (x)) != 0) return rc\n", "CHECK_STEP", "return on failure"),
        ("#define CHECK_STEP(x) if ((rc = (x)) != 0) goto failed\n", "CHECK_STEP", "return on failure"),
        ("#define OWN_RETURN_NOT_OK(x) note(x)\n", "OWN_RETURN_NOT_OK", ""),
        ("#define OWN_RETURN_NOT_OK(x) FORWARD(x)\n", "OWN_RETURN_NOT_OK", "return on failure"),
        ("#define OWN_RETURN_NOT_OK(x) if (!(x).ok()) FAIL\n", "OWN_RETURN_NOT_OK", "return on failure"),
        # what is not understood leaves the model's word
        ("#define CHECK(x) require(x)\n", "CHECK", "check"),
        (
            "#define Py_RETURN_NAN do { if (x) { return a(); } else { return b(); } } while (0)\n",
            "Py_RETURN_NAN",
            "return",
        ),
        ("#define LOG(x) write(x)\n", "LOG", "log"),
        ("#define GUARDED_BY(x)\n", "GUARDED_BY", "guarded by"),
        (
            "#define ASSIGN_OR_RETURN(x, y) do { x = y; if (!x.ok()) return x; } while (0)\n",
            "ASSIGN_OR_RETURN",
            "assign or return",
        ),
        # names that stand for each other come to an end
        ("#define CHECK_A CHECK_B\n#define CHECK_B CHECK_A\n", "CHECK_A", "check"),
        ("#define CHECK_A(x) CHECK_B(x)\n#define CHECK_B(x) CHECK_A(x)\n", "CHECK_A", "check"),
        (
            "#define RETURN_IF_ERROR(x) RET_CHECK(x)\n#define RET_CHECK(x) RETURN_IF_ERROR(x)\n",
            "RET_CHECK",
            "return on failure",
        ),
    ],
)
def test_the_own_definition_counts_where_it_contradicts_the_model(
    models: Models, text: str, name: str, role: str
) -> None:
    assert macros(models, text).role(name) == role


@pytest.mark.parametrize(
    ("texts", "role"),
    [
        (["#define DCHECK(x) CHECK(x)\n", "#define DCHECK(x) CHECK(x)\n"], "check"),
        (
            [
                "#define DCHECK(x) CHECK(x)\n",
                "#ifdef NDEBUG\n#define DCHECK(x)\n#else\n#define DCHECK(x) CHECK(x)\n#endif\n",
            ],
            "evaluated assert",
        ),
        (["#define DCHECK(x) OWN_DCHECK(x)\n", "#define OWN_DCHECK(x) ((void)(x))\n"], "evaluated assert"),
    ],
)
def test_files_that_define_it_differently_leave_it_open(models: Models, texts: list[str], role: str) -> None:
    assert macros(models, *texts).role("DCHECK") == role


def test_a_check_stays_one_where_another_file_takes_it_away(models: Models) -> None:
    found = macros(models, "#define CHECK(x) if (!(x)) abort()\n", "#define CHECK(x)\n")
    assert found.role("CHECK") == "check"


def test_each_macro_is_asked_once_where_it_jumps(models: Models) -> None:
    """Of a hundred that each call two others, along every chain it would never end."""
    chain = [f"#define M{n}(x) {{ M{n - 1}(x); M{max(0, n - 2)}(x); }}" for n in range(1, 100)]
    known = macros(models, "\n".join(["#define M0(x) note(x)", *chain, "#define A(x) { M99(x); if (x) goto out; }"]))
    assert known.jump("A") == (("x",), "out")
    assert known.jump("M99") == ((), "")


def test_where_macros_that_call_each_other_jump_is_left_open(models: Models) -> None:
    known = macros(models, "#define P(x) { Q(x); if (x) goto out; }\n#define Q(x) { P(x); }")
    assert known.jump("P") == ((), "")
    assert known.jump("Q") == ((), "")


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("#define NEW(t, type) (t *) type.tp_alloc(&type, 0)", ".tp_alloc"),
        ("#define NEW(type) ((PyObject*)((type)->tp_new)(type, 0))", ""),
        ("#define NEW(t, type) ((t*)PyObject_New(t, &type))", "PyObject_New"),
        ("#define NEW(t, type) const_cast<t*>(made(type))", ""),
        ("#define NEW(x) (x)", ""),
        ("#define NEW(a, b) made(a) + made(b)", ""),
        ("#define NEW(a) made(a); count++", ""),
        ("#define NEW made()", "made"),
    ],
)
def test_a_macro_that_is_one_call_answers_with_its_result(models: Models, text: str, called: str) -> None:
    assert macros(models, f"{text}\n").answering("NEW") == called


def test_macros_that_call_different_functions_answer_with_none(models: Models) -> None:
    assert not macros(models, "#define NEW(a) made(a)\n", "#define NEW(a) kept(a)\n").answering("NEW")
