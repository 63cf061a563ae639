"""A few lines that are no Python cost no more than what stands in them."""

from __future__ import annotations

import pytest
from python_facts import file_of

from ownlint.facts import show
from ownlint.frontends.python.tolerant import MOST_LINES

AROUND = """\
def before(a):
    return take(a)


{}


def after(b):
    return drop(b)
"""


def facts(text: str) -> str:
    return "\n".join(show.file(file_of(text.encode())))


@pytest.mark.parametrize(
    ("broken", "left"),
    [
        ("x = (1,\ny = 2", "opaque x = (1,"),
        ("def f(:\n    return keep(1)", "opaque def f(:"),
        ("if x\n    keep(x)\nelse:\n    other(x)", "opaque if x"),
        ("x = 'no end", "opaque x = 'no end"),
        ("x = '''no end", "opaque x = '''no end"),
        ("if x:", "opaque if x:"),
        ("for x in y:\n\n# nothing", "opaque for x in y:"),
        ("f(a,\n  b.,\n  c)", "opaque f(a,"),
        ("class A:\n    def f(self):\n        self.\n\n    def g(self):\n        keep(self)", "keep(self)"),
        ("try:\n    keep(1)", "opaque try:"),
        ("obj.", "opaque obj."),
        ("        indented = 1", "opaque indented = 1"),
        ("@\ndef f(): pass", "opaque @"),
    ],
)
def test_the_rest_of_the_file_is_read(broken: str, left: str) -> None:
    found = facts(AROUND.format(broken))
    assert "function before(a)\n  return take(a)" in found
    assert "function after(b)\n  return drop(b)" in found
    assert left in found
    assert "partial" in found


def test_what_is_left_out_names_what_it_may_touch() -> None:
    file = file_of(b"def f(x):\n    y = take(x)\n    x.close(\n    return y\n")
    assert file.functions[1].opaque
    assert b"close" in bytes(file.functions[1].body)
    assert [(problem.kind, problem.reason) for problem in file.problems] == [
        ("partial", "line 3: '(' was never closed")
    ]


def test_another_language_is_none() -> None:
    text = "take(x)\n" + "print 'no'\n" * (MOST_LINES + 1)
    file = file_of(text.encode())
    assert [problem.kind for problem in file.problems] == ["unread"]
    assert file.functions == ()
