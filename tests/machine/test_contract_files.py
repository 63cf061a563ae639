"""Contract files: what is written can be read again, and what is broken is told in one line with its place."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ownlint.finding import CERTAINTIES
from ownlint.models.contract_compare import differences
from ownlint.models.contract_reader import MOST_BYTES, ContractError, parse, read
from ownlint.models.contract_records import (
    Category,
    ClassContract,
    ContractFile,
    KeptAddress,
    Kind,
    Lent,
    MemberContract,
)
from ownlint.models.contract_text import render

HEAD = 'format = 1\npackage = "pkg"\n'
CLASS = '[[class]]\nname = "C"\nat = "a.cc:1"\n'

# What the reader takes: no character that controls a terminal.
_CONTROL = "\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_letters = st.characters(exclude_categories=("Cc", "Cs"), exclude_characters=_CONTROL)
_texts = st.text(_letters, max_size=40)
_names = st.text(_letters, min_size=1, max_size=20).filter(str.strip)
_sure = st.sampled_from(CERTAINTIES)
_arguments = st.integers(1, 255)
_lent = st.builds(
    Lent,
    st.one_of(st.just("self"), _arguments.map(lambda n: f"argument {n}")),
    st.booleans(),
    _texts,
    _texts,
    _sure,
)
_kept = st.builds(
    KeptAddress,
    _arguments,
    st.one_of(st.sampled_from(["self", "result"]), _arguments.map(lambda n: f"argument {n}")),
    st.booleans(),
    _texts,
    _sure,
)
_lists = st.lists(_texts, max_size=3).map(tuple)


@st.composite
def contracts(draw: st.DrawFn) -> ContractFile:
    names = draw(st.lists(_names, unique=True, max_size=4))
    classes = tuple(
        draw(st.builds(ClassContract, st.just(name), _texts, _texts, _texts, _lists, _texts, _texts, _lists))
        for name in names
    )
    members = []
    for on in ["", *names]:
        for _ in range(draw(st.integers(0, 2))):
            lent = [one for one in draw(st.lists(_lent, max_size=2)) if on or one.source != "self"]
            members.append(
                MemberContract(
                    on,
                    draw(_names),
                    draw(st.sampled_from(get_args(Kind))),
                    draw(_texts),
                    draw(_texts),
                    draw(_lists),
                    draw(_lists),
                    draw(st.sampled_from(["", *names])),
                    draw(st.sampled_from(get_args(Category))),
                    draw(_texts),
                    tuple(lent),
                    draw(st.lists(_kept, max_size=2).map(tuple)),
                    draw(_lists) if on else (),
                    draw(st.booleans()),
                )
            )
    package = draw(st.from_regex(r"[a-z_][a-z0-9_]{0,10}(\.[a-z_]{1,5})?", fullmatch=True))
    frameworks = draw(st.dictionaries(_names, _texts, max_size=2))
    return ContractFile(package, draw(_lists), frameworks, draw(_lists), classes, tuple(members))


@given(contracts())
def test_what_is_written_is_read_again(contract: ContractFile) -> None:
    text = render(contract)
    again = parse("x.own.toml", text.encode())
    assert again == contract
    assert render(again) == text
    assert list(differences(contract, again)) == []


@given(st.binary(max_size=200))
def test_any_bytes_are_a_contract_or_one_line(data: bytes) -> None:
    _one_line_or_contract(data)


@given(
    st.lists(
        st.sampled_from(
            [
                HEAD,
                CLASS,
                "[[member]]\n",
                'on = "C"\n',
                "name = 3\n",
                'name = "f"\nkind = "method"\n',
                "borrows = [{ }]\n",
                'borrows = [{ from = "self", protected = true }]\n',
                "borrows = [1]\n",
                "stores = {}\n",
                "[class]\n",
                "[[class.x]]\n",
                "format = true\n",
                "format = 1e9\n",
                'plain = ["a\\u001b[31m"]\n',
                "x = " + "9" * 5000 + "\n",
                "y = " + "[" * 3000 + "]" * 3000 + "\n",
            ]
        ),
        max_size=7,
    )
)
def test_pieces_in_any_order_are_a_contract_or_one_line(pieces: list[str]) -> None:
    _one_line_or_contract("".join(pieces).encode())


def _one_line_or_contract(data: bytes) -> None:
    try:
        parse("x.own.toml", data)
    except ContractError as error:
        said = str(error)
        assert said.startswith("x.own.toml:")
        assert said.isprintable() or not any(letter in said for letter in "\n\r\x1b")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "x.own.toml:1: a contract starts with `format = 1`"),
        ('package = "pkg"\n', "x.own.toml:1: a contract starts with `format = 1`"),
        ("format = 2\n", "x.own.toml:1: format 2 is newer than the format this version reads, 1"),
        ("format = true\n", "x.own.toml:1: `format` must be a number"),
        ("\nformat = '1'\n", "x.own.toml:2: `format` must be a number"),
        ("format = 1\n", "x.own.toml:1: `package` is missing"),
        ('format = 1\npackage = "a b"\n', "x.own.toml:2: `package` must be the name of a Python package"),
        (HEAD + "classes = 3\n", "x.own.toml:3: a contract has no key `classes`"),
        (HEAD + "[class]\n", "x.own.toml:3: write `[[class]]` with double brackets: it is an array of tables"),
        (HEAD + "class = 1\n", "x.own.toml:3: write `[[class]]` with double brackets: it is an array of tables"),
        (HEAD + 'modules = "a"\n', "x.own.toml:3: `modules` must be a list of strings"),
        (HEAD + "modules = [1]\n", "x.own.toml:3: `modules` must be a string"),
        (HEAD + "frameworks = []\n", "x.own.toml:3: `frameworks` must be a table of strings"),
        (HEAD + "[[class]]\n", "x.own.toml:3: `name` is missing"),
        (HEAD + CLASS + CLASS, "x.own.toml:7: class `C` is defined twice"),
        (HEAD + CLASS + 'name2 = "x"\n', "x.own.toml:6: `class` has no key `name2`"),
        (HEAD + '[[member]]\nname = "f"\n', "x.own.toml:3: `kind` must be one of `method`, `static`"),
        (HEAD + '[[member]]\non = "C"\n', "x.own.toml:4: no `[[class]]` in this file is named `C`"),
        (
            HEAD + '[[member]]\nname = "f"\nkind = "function"\nreturns = "C"\n',
            "x.own.toml:6: no `[[class]]` in this file is named `C`",
        ),
        (
            HEAD + '[[member]]\nname = "f"\nkind = "function"\nborrows = [{ from = "self", protected = true }]\n',
            "x.own.toml:6: a function has no `self` to borrow from",
        ),
        (
            HEAD + '[[member]]\nname = "f"\nkind = "function"\nborrows = [{ from = "argument 0", protected = true }]\n',
            "x.own.toml:6: `from` must be one of `self`, `argument N`",
        ),
        (
            HEAD + '[[member]]\nname = "f"\nkind = "function"\nstores = [{ argument = 0, into = "self" }]\n',
            "x.own.toml:6: `argument` must be a number from 1 to 255",
        ),
        (
            HEAD + '[[member]]\nname = "f"\nkind = "function"\nstores = [{ argument = 1, into = "self" }]\n',
            "x.own.toml:6: `protected` must be true or false",
        ),
        (
            HEAD + '[[member]]\nname = "f"\nkind = "function"\nborrows = [{ of = "self" }]\n',
            "x.own.toml:6: `from` must be one of",
        ),
        (HEAD + '[[member]]\nname = "a\\nb"\n', "x.own.toml:4: `name` contains a line break or a control character"),
        (
            HEAD + '[[member]]\nname = "\\u001b[31mred"\n',
            "x.own.toml:4: `name` contains a line break or a control character",
        ),
        (HEAD + f'[[member]]\nname = "{"n" * 201}"\n', "x.own.toml:4: `name` must be a name of up to 200 characters"),
        (HEAD + f'plain = ["{"n" * 2001}"]\n', "x.own.toml:3: `plain` has more than 2000 characters"),
        (HEAD + '"<b>\\u001b" = 1\n', "x.own.toml:3: a contract has no key `<b>?`"),
        (HEAD + "x = \n", "x.own.toml:3: invalid value"),
        (HEAD + "x = 1\nx = 2\n", "x.own.toml:4: cannot overwrite a value"),
        (HEAD + "x = " + "[" * 5000, "x.own.toml:1: nested too deeply"),
        (HEAD + "x = " + "9" * 9000, "x.own.toml:1: exceeds the limit"),
    ],
)
def test_a_mistake_is_told_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ContractError) as error:
        parse("x.own.toml", text.encode())
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_what_is_no_text_or_no_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ContractError, match="x:2: is not UTF-8"):
        parse("x", b"format = 1\n\xff")
    with pytest.raises(ContractError, match="is a folder, not a file"):
        read(tmp_path)
    with pytest.raises(ContractError, match="No such file"):
        read(tmp_path / "gone")
    huge = tmp_path / "huge.own.toml"
    with huge.open("wb") as stream:
        stream.truncate(MOST_BYTES + 1)
    with pytest.raises(ContractError, match=r"16,777,217 bytes is larger than 16,777,216 bytes"):
        read(huge)


def test_a_long_list_takes_several_lines() -> None:
    names = tuple(f"member_number_{number}" for number in range(40))
    text = render(ContractFile("pkg", plain=names))
    assert max(map(len, text.splitlines())) <= 120
    assert parse("x", text.encode()).plain == names
