from __future__ import annotations

import shlex
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ownlint import toml
from ownlint.sources.arguments import split


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a = 1\na = 2\n", 2, "cannot overwrite a value"),
        ("a = 1\nb = ", 2, "invalid value"),
        ("x = [\n", 1, "invalid value"),
        ("a = " + "[" * 100_000, 1, "nested too deeply"),
        ("a = " + "1" * 9000, 1, "exceeds the limit"),
        ("\n" + "a." * 100_000 + "a = 1", 2, "a key of more than 32 parts"),
        ("\n[" + "'a' . " * 40 + "a]", 2, "a key of more than 32 parts"),
        ('\n["' + '"."' * 40 + '"]', 2, "a key of more than 32 parts"),
    ],
)
def test_a_mistake_is_told_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(toml.TomlError) as error:
        toml.parse(text)
    assert error.value.line == line
    assert error.value.message.startswith(message)


@pytest.mark.parametrize(
    "text", ["# " + "." * 500, f'a = "{"so it goes. " * 50}"', "a = [" + "1.5, " * 100 + "]", "a.b.c = 1"]
)
def test_dots_that_are_no_key_do_not_count(text: str) -> None:
    assert toml.parse(text) == tomllib.loads(text)


@given(st.text(alphabet="ab \t\n\r'\"\\\\=-\x0b", max_size=40))
def test_commands_are_split_as_by_a_shell(command: str) -> None:
    try:
        expected = shlex.split(command)
    except ValueError:
        with pytest.raises(ValueError, match="unterminated"):
            split(command)
    else:
        assert split(command) == expected


def test_a_long_word_is_split_in_no_time() -> None:
    assert split("cc '" + "a " * 5_000_000 + "' " + "b" * 5_000_000)[2] == "b" * 5_000_000
