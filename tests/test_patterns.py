"""Patterns that others bring take linear time, and mean what they say."""

from __future__ import annotations

import subprocess
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ownlint.gitignore import Ignored, mistake
from ownlint.patterns import AnyName, Globs, PatternError, PatternSet, expression, strings

ALL = 20_000


@pytest.mark.parametrize("text", ["(a+)+$", "a*" * 30 + "b", "(?:a|a)*c", r"(\w+\s*)+;", "(a?){30}a{30}b"])
def test_an_expression_that_would_explode_answers_at_once(text: str) -> None:
    assert not expression(text).fullmatch("a" * ALL + "!")
    expression(text).search(b"a" * ALL + b"!")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(", "missing )"),
        ("a(?=b)", "invalid perl operator"),
        (r"(a)\1", "invalid escape sequence"),
        ("a{5000}", "invalid repetition size"),
        ("(?:x{0,1000}){0,1}" * 100, "pattern too large"),
        ("a but not (", "missing )"),
    ],
)
def test_what_is_no_expression_says_why(text: str, reason: str) -> None:
    with pytest.raises(PatternError, match=reason.replace(")", r"\)")):
        expression(text)


def test_an_exception_takes_a_match_back() -> None:
    assign = expression(r"\w*ASSIGN_OR_RETURN\w* but not \w*(?:EXPECT|CHECK)\w*_\w*")
    assert assign.fullmatch("TF_ASSIGN_OR_RETURN")
    assert not assign.fullmatch("EXPECT_ASSIGN_OR_RETURN")
    parse = expression(r"\w*\.parse\b but not \w*Type\.parse")
    assert not parse.search(b"x = IntegerType.parse(text)")
    assert parse.search(b"x = IntegerType.parse(text)\ny = Module.parse(text)")


def test_the_first_of_many_that_fits_counts() -> None:
    many = PatternSet([*(f"name_{number}" for number in range(5_000)), r"name_\d+"])
    assert (many.first("name_4711"), many.first("name_5001"), many.first("other")) == (4711, 5000, None)


@pytest.mark.parametrize("pattern", ["a*" * 30 + "b", "*a" * 30 + "b", "a*a*a*a*[!a]"])
def test_globs_of_models_try_no_star_twice(pattern: str) -> None:
    assert not Globs([pattern]).fits("a" * 2_000)


@given(pattern=st.text("ab*?[]!-^\\.", max_size=8), name=st.text("ab[]!-^\\.", max_size=6))
def test_globs_fit_what_fnmatch_fits(pattern: str, name: str) -> None:
    assert Globs([pattern]).fits(name) is fnmatchcase(name, pattern)


words = st.lists(st.from_regex(r"[a-c_]{1,3}", fullmatch=True), max_size=20)


@given(names=words, said=words)
def test_names_are_found_as_whole_words_and_strings(names: list[str], said: list[str]) -> None:
    found = not set(names).isdisjoint(said)
    assert AnyName(names).search(" ".join(said).encode()) is found
    assert strings(names).search(",".join(f'"{word}"' for word in ["\\\\", 'q\\"', *said]).encode()) is found


# --- .gitignore --------------------------------------------------------------------------------


def test_a_glob_that_would_explode_answers_at_once() -> None:
    patterns = ["a*" * 30 + "b", "**/" * 30 + "b", "*?" * 40 + "b", "[a-z]*" * 30 + "!"]
    assert not Ignored(patterns).leaves_out("a" * 4_000 + "/" + "a" * 250)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("[ab", "its `[` is not closed"),
        ("a\\", "it ends with a backslash"),
        ("[/]", "its `[...]` matches no character"),
        ("[[:word:]]", "`[:word:]` is not a character class"),
        ("!", "nothing is left to match"),
        ("a*" * 100_000, "pattern too large - compile failed"),
    ],
)
def test_a_line_that_can_match_nothing_says_why(line: str, reason: str) -> None:
    assert mistake(line) == reason
    assert not Ignored([line, "b"]).leaves_out("a")
    assert Ignored([line, "b"]).leaves_out("b")


def test_a_range_that_runs_backwards_is_a_mistake_that_git_does_not_see() -> None:
    assert mistake("[z-a]") == "a range in its `[...]` runs backwards"
    assert Ignored(["[z-a]"]).leaves_out("z")


def test_a_name_that_is_no_text_is_matched_by_its_bytes() -> None:
    assert Ignored(["*.py"]).leaves_out("a/\udcff.py")
    assert Ignored(["?"]).leaves_out("\udcff")


line_pieces = st.sampled_from(
    [
        *"ab*?/!\\[]-^ #.",
        "**",
        "**/",
        "/**",
        "ab",
        "[ab]",
        "[!a]",
        "[a-b]",
        "[[:alpha:]]",
        "[[:no:]]",
        "[b-a]",
        "[]a]",
        "é",
    ]
)
lines = st.lists(st.lists(line_pieces, min_size=1, max_size=5).map("".join), min_size=1, max_size=4)
names = st.sampled_from(
    ["a", "b", "ab", "ba", "a b", "*", "[", "]", "-", "a]", "é", "#a", "!a", " a", "b ", "^", "a\\"]
)
paths = st.lists(st.lists(names, min_size=1, max_size=4).map("/".join), min_size=1, max_size=20, unique=True)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ignored")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


@settings(max_examples=80, suppress_health_check=list(HealthCheck))
@given(lines=lines, paths=paths)
def test_git_says_the_same(repository: Path, lines: list[str], paths: list[str]) -> None:
    """None of the paths is there, and none of them is a folder of another: git takes each for a file."""
    files = [path for path in paths if not any(other.startswith(f"{path}/") for other in paths)]
    (repository / ".gitignore").write_text("\n".join(lines) + "\n")
    command = ["git", "check-ignore", "-z", "--stdin", "--no-index"]
    done = subprocess.run(command, cwd=repository, input="\0".join(files).encode(), capture_output=True, check=False)
    ignored = Ignored(lines)
    assert {path for path in done.stdout.decode().split("\0") if path} == set(filter(ignored.leaves_out, files))
