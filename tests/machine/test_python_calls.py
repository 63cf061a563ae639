"""Calls of Python across the modules of a project: what runs, and what its parameters get."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import msgspec
import pytest

import ownlint_rules
from ownlint.domains import python_calls, python_modules
from ownlint.facts.show import text
from ownlint.frontends.python.read import read
from ownlint.models import libraries as models
from ownlint.project.program import Program
from ownlint.project.subjects import Function

MODELS = models.load([Path(ownlint_rules.__file__).parent / "models"])


def module_of(path: str, paths: set[str]) -> str:
    """As far up as folders hold an `__init__.py`."""
    pure = PurePosixPath(path)
    parts = [] if pure.stem == "__init__" else [pure.stem]
    for folder in pure.parents:
        if f"{folder}/__init__.py" not in paths:
            break
        parts.insert(0, folder.name)
    return ".".join(parts)


def project(files: dict[str, str]) -> Program:
    vocabulary = msgspec.structs.replace(MODELS.vocabulary(), anchors=())
    every = sorted(files.items())
    return Program([read(p, s.encode(), vocabulary, module_of(p, set(files))) for p, s in every], MODELS)


def named(program: Program, symbol: str, path: str = "") -> Function:
    return next(f for f in program.functions if f.symbol == symbol and f.path.endswith(path))


def called(program: Program, symbol: str, path: str = "") -> list[list[str]]:
    """Of each call in the body, in source order, the functions that it runs."""
    function = named(program, symbol, path)
    code = python_calls.of(program)
    return [[f"{one.path}:{one.symbol}" for one in code.functions_called(c, function)] for c in function.calls()]


HELPER = """
def f(name, default=None):
    return name


class Box:
    def __init__(self, size):
        self.size = size

    def get(self, at):
        return at
"""


@pytest.mark.parametrize(
    ("caller", "expected"),
    [
        ("import a.b as c\ndef g(): c.f(1)\n", "a/b.py:f"),
        ("import a.b\ndef g(): a.b.f(1)\n", "a/b.py:f"),
        ("from a import b\ndef g(): b.f(1)\n", "a/b.py:f"),
        ("from a.b import f as other\ndef g(): other(1)\n", "a/b.py:f"),
        ("from .b import f\ndef g(): f(1)\n", "a/b.py:f"),
        ("from . import b\ndef g(): b.f(1)\n", "a/b.py:f"),
        ("from .b import *\ndef g(): f(1)\n", "a/b.py:f"),
        ("from a.b import Box\ndef g(): Box(1)\n", "a/b.py:Box.__init__"),
        ("from a.b import f\nkept = f\ndef g(): kept(1)\n", "a/b.py:f"),
    ],
)
@pytest.mark.parametrize("is_package", [True, False], ids=["package", "namespace"])
def test_a_call_leads_to_another_module(caller: str, expected: str, is_package: bool) -> None:
    files = {"a/b.py": HELPER, "a/use.py": caller}
    if is_package:
        files["a/__init__.py"] = ""
    assert called(project(files), "g") == [[expected]]


def test_what_a_package_hands_on_is_found() -> None:
    files = {
        "src/p/__init__.py": "from .inner import f\n",
        "src/p/inner/__init__.py": "from ._impl import f as f\n",
        "src/p/inner/_impl.py": HELPER,
        "tools/use.py": "import p\nfrom p import f\ndef g():\n    p.f(1)\n    f(2)\n",
    }
    assert called(project(files), "g") == [["src/p/inner/_impl.py:f"]] * 2


def test_methods_of_the_object_of_bases_and_of_what_was_constructed() -> None:
    files = {
        "p/__init__.py": "",
        "p/base.py": HELPER,
        "p/use.py": (
            "from p.base import Box\n"
            "shared = Box(3)\n"
            "class Crate(Box):\n"
            "    def put(self):\n"
            "        self.get(1)\n"
            "        super().get(2)\n"
            "    def get(self, at):\n"
            "        return -at\n"
            "def g(given: Box):\n"
            "    box = Box(4)\n"
            "    box.get(5)\n"
            "    given.get(6)\n"
            "    shared.get(7)\n"
        ),
    }
    program = project(files)
    assert [one for one in called(program, "Crate.put") if one] == [["p/use.py:Crate.get"], ["p/base.py:Box.get"]]
    assert called(program, "g") == [["p/base.py:Box.__init__"], *[["p/base.py:Box.get"]] * 3]


def test_names_of_libraries_and_of_the_standard_library_are_not_those_of_the_project() -> None:
    files = {
        "p/__init__.py": "",
        "p/torch.py": HELPER,
        "p/json.py": HELPER,
        "q/__init__.py": "",
        "q/use.py": "import torch\nimport json\ndef g():\n    torch.f(1)\n    json.f(2)\n",
    }
    assert called(project(files), "g") == [[], []]


def test_of_two_roots_the_one_around_the_file_is_meant() -> None:
    both = {f"{side}/knobs/read.py": HELPER for side in ("east", "west")}
    use = "from knobs.read import f\ndef g(): f(1)\n"
    assert called(project({**both, "west/app/use.py": use}), "g") == [["west/knobs/read.py:f"]]
    assert called(project({**both, "app/use.py": use}), "g") == [[]]


def test_imports_in_a_circle_end() -> None:
    files = {
        "p/__init__.py": "from .a import f\n",
        "p/a.py": "from .b import f\nfrom .b import *\n",
        "p/b.py": "from .a import f\nfrom .a import *\n",
        "p/use.py": "from p import f\ndef g(): f(1)\n",
    }
    assert called(project(files), "g") == [[]]


def test_what_parameters_get() -> None:
    files = {
        "p/a.py": HELPER,
        "p/x.py": (
            "from p.a import f, Box\n"
            "def g(rest):\n"
            "    f('A', 1)\n"
            "    f(default=2, name='B')\n"
            "    f(*rest)\n"
            "    Box(8).get(9)\n"
        ),
        "p/y.py": "from p import a\nVALUE = a.f('C')\ndef h(): a.Box.get(None, at=10)\n",
    }
    program = project(files)
    code = python_calls.of(program)
    f = named(program, "f")
    given = code.given_arguments(f, "default")
    assert [(one.caller.path, one.value and text(one.value), one.is_known) for one in given] == [
        ("p/x.py", "1", True),
        ("p/x.py", "2", True),
        ("p/x.py", None, False),
        ("p/y.py", None, True),
    ]
    assert [one.value and text(one.value) for one in code.given_arguments(f, "name")] == ["'A'", "'B'", None, "'C'"]
    get, init = named(program, "Box.get"), named(program, "Box.__init__")
    assert [one.value and text(one.value) for one in code.given_arguments(get, "at")] == ["9", "10"]
    assert [one.value and text(one.value) for one in code.given_arguments(init, "size")] == ["8"]


def test_constants_of_other_modules_and_of_classes() -> None:
    files = {
        "p/names.py": "A = 'X'\nB = A\nTWICE = 1\nTWICE = 2\n",
        "p/use.py": (
            "from .names import A, B as renamed, TWICE\n"
            "from p import names\n"
            "class Keys:\n"
            "    OWN = 'Y'\n"
            "    def read(self, given):\n"
            "        local = 'Z'\n"
            "        g(A, renamed, names.A, TWICE, self.OWN, Keys.OWN, local, given)\n"
        ),
    }
    program = project(files)
    read_ = named(program, "Keys.read")
    (call,) = read_.calls()
    code = python_calls.of(program)
    found = [code.value_of(value, read_) for value in call.args]
    assert [one and text(one.value) for one in found] == ["'X'", "'X'", "'X'", None, "'Y'", "'Y'", "'Z'", None]


def test_a_module_leads_to_its_file() -> None:
    program = project({"a/b/c.py": "", "a/b/__init__.py": "", "d.py": ""})
    modules = python_modules.of(program)
    found = [modules.module(name) for name in ("a.b.c", "b.c", "b", "d", "/.a.b", "c", "os")]
    assert [one and one.path for one in found] == [
        "a/b/c.py",
        "a/b/c.py",
        "a/b/__init__.py",
        "d.py",
        "a/b/__init__.py",
        None,
        None,
    ]
