from __future__ import annotations

import pytest

from ownlint.testing.markdown import PageCase, PageError, PageMark, parse

PAGE = """\
# a-rule

```toml
modes = ["structure", "typed"]
certainty = "possible"
```

## A flag is set too early

Some words.

```cpp engine.h
struct Engine { bool on_; };
```

```cpp
on_ = true;  // error[likely]: `on_` is set
Record();  // step: this can still fail
on_ = false;  /* ok: taken back */ Stop();
```

```python
# warning: the next line
# note: and again
run()  # missed: not yet
```

## Only words here

## A page inside a page is prose

````md
## Not a heading
```cpp
x();  // error: not a mark
```
````

## Typed only

```cpp typed
f();
```
"""


@pytest.fixture
def cases() -> list[PageCase]:
    return parse(PAGE)


def test_headings_with_code_are_cases(cases: list[PageCase]) -> None:
    assert [(case.heading, case.line) for case in cases] == [("A flag is set too early", 8), ("Typed only", 39)]


def test_blocks_are_files(cases: list[PageCase]) -> None:
    assert [(block.name, block.language, block.line) for block in cases[0].blocks] == [
        ("engine.h", "cpp", 13),
        ("case.cc", "cpp", 17),
        ("case.py", "python", 23),
    ]


def test_marks_speak_for_their_line_or_the_next(cases: list[PageCase]) -> None:
    _, cpp, python = cases[0].blocks
    assert cpp.marks == (
        PageMark("error", "`on_` is set", 1, "likely"),
        PageMark("step", "this can still fail", 2),
        PageMark("ok", "taken back", 3),
    )
    assert python.marks == (
        PageMark("warning", "the next line", 3),
        PageMark("note", "and again", 3),
        PageMark("missed", "not yet", 3),
    )


def test_marks_are_blanked_out_and_no_byte_moves(cases: list[PageCase]) -> None:
    first, _, third = cases[0].blocks[1].text.splitlines()
    assert first.rstrip() == "on_ = true;"
    assert third.index("Stop") == "on_ = false;  /* ok: taken back */ Stop();".index("Stop")


def test_one_line_may_hold_two_marks() -> None:
    (case,) = parse("## x\n```cpp\nf();  // error: one // error: two\n```\n")
    assert [mark.text for mark in case.blocks[0].marks] == ["one", "two"]


def test_options_of_the_case_win_over_those_of_the_page(cases: list[PageCase]) -> None:
    assert cases[0].modes == ("structure", "typed")
    assert cases[1].modes == ("typed",)
    assert cases[1].options.certainty == "possible"


def test_a_url_in_a_comment_is_no_mark() -> None:
    (case,) = parse('## x\n```python\nurl = "http://x"  # see the note\n```\n')
    assert case.blocks[0].marks == ()


@pytest.mark.parametrize(
    ("page", "line", "message"),
    [
        ("## x\n```cpp\nf();\n", 2, "unterminated code block"),
        ("## x\n```cpp tpyed\nf();\n```\n", 2, "`tpyed` is neither"),
        ("## x\n```cpp ../a.h\nf();\n```\n", 2, "neither a file name"),
        ("## x\n```toml\nmodels = 3\n```\n", 3, "Expected `str"),
        ("## x\n```toml\ncertainity = 'likely'\n```\n", 3, "unknown field `certainity`"),
        ("## x\n```cpp\nf();  // error:\n```\n", 3, "has no text"),
        ("## x\n```cpp\nf();\n// error: nobody\n```\n", 4, "marks no line"),
        ("## x\n```cpp\nf();  // error[sure]: y\n```\n", 3, "`sure` is not one of"),
        ("## x\n```cpp a.h\nf();\n```\n```cpp a.h\n```\n", 5, "is used twice"),
        ("## x\n```cpp\nf();\n```\n## x\n```cpp\nf();\n```\n", 5, "is used twice"),
    ],
)
def test_mistakes_in_a_page_are_named_with_their_line(page: str, line: int, message: str) -> None:
    with pytest.raises(PageError, match=message) as caught:
        parse(page)
    assert caught.value.line == line
