"""Imports go down only; parsers are imported by frontends alone; no library is known outside the models."""

from __future__ import annotations

import ast
import gc
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

import patterns_on_trial
from ownlint.testing import form

ROOT = Path(__file__).parent.parent
LINTER = ROOT / "linter" / "ownlint"
RULES = ROOT / "rules" / "ownlint_rules"

BELOW: dict[str, frozenset[str]] = {}
"""Part of the machine -> the parts it may import."""


def _part(name: str, *below: str) -> None:
    BELOW[name] = frozenset(below) | frozenset(lower for part in below for lower in BELOW[part])


_part("choices")
_part("selection", "choices")
_part("measured", "choices")
_part("door")
_part("children")
_part("machine")
_part("toml")
_part("json_reading")
_part("patterns")
_part("gitignore", "patterns")
_part("facts", "door", "patterns")
_part("files", "door")
_part("finding", "facts", "choices")
_part("fixes", "finding")
_part("config", "finding", "door", "toml", "gitignore", "selection")
_part("sources", "config", "facts", "json_reading")
_part("frontends", "facts", "children")
_part("steps")
_part("models", "facts", "finding", "machine", "toml", "steps")
_part("flow", "facts", "steps")
_part("project", "models", "flow")
_part("engine", "project")
_part("bindings", "engine")
_part("domains", "bindings")
_part("crossing", "domains")
_part("rule", "crossing", "finding", "measured")
_part("catalogue", "rule", "sources")
_part("incremental", "project", "finding")
_part("analysis", "catalogue", "children", "incremental")
_part("interplay", "rule")
_part("report", "fixes", "config", "facts", "interplay")
_part("baseline", "report", "json_reading")
_part("inputs", "catalogue", "config", "sources")
_part("outline", "inputs", "report", "crossing")
_part("reading", "outline", "sources", "frontends", "incremental")
_part("pipeline", "analysis", "reading", "report", "crossing")
_part("testing", "catalogue", "inputs", "interplay", "fixes", "frontends", "incremental")
_part("contracting", "pipeline")
_part("server", "contracting", "files")
_part("cli", "server", "baseline", "testing", "files")
_part("__main__", "cli")

MACHINE = ("models", "flow", "project", "engine", "bindings", "domains", "crossing")

ONLY_IN = {
    "tree_sitter": ("frontends/cpp", "toml.py"),
    "tree_sitter_cpp": ("frontends/cpp",),
    "clang": ("frontends/cpp",),
    "re2": ("patterns.py",),
    "libcst": ("frontends/python",),
    "rich": ("report",),
    "jinja2": ("report",),
    "markupsafe": ("report",),
    "markdown_it": ("report",),
    "click": ("cli",),
    "lsprotocol": ("server",),
    "pygls": ("server",),
}

EXPLAINED = {
    # The command that an executor carries to a worker is what `sources` found out about the file.
    ("frontends", "sources"),
}

COMMON_WORDS = frozenset({"python", "other", "compilers", "arrow", "ctypes", "google", "base"})
"""Names of models that are no library, or that are words of the languages: `->` is an arrow, `ctypes` is a module of
Python itself, by which the linter reaches libclang; RE2 comes as `google-re2`, Chromium has a namespace `base`."""


def modules(root: Path) -> list[Path]:
    return sorted(root.rglob("*.py"))


def by_folder(paths: Iterable[Path]) -> pytest.MarkDecorator:
    """A test for each folder; what several tests ask of one folder runs in a row, since they share its trees."""
    folders: dict[str, list[Path]] = {}
    for path in paths:
        folders.setdefault(path.parent.relative_to(ROOT).as_posix(), []).append(path)
    return pytest.mark.parametrize("paths", list(folders.values()), ids=list(folders), scope="module")


def part_of(path: Path) -> str:
    return path.relative_to(LINTER).parts[0].removesuffix(".py")


@cache
def tree_of(path: Path) -> ast.Module:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    gc.freeze()  # trees stay, and are large: no collection of garbage is to look through them again
    return tree


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree_of(path)))


def imported_names(path: Path) -> Iterator[str]:
    """All that a module imports, whatever for."""
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def imports(path: Path) -> frozenset[str]:
    """What a module imports when it runs, functions included; what only type checkers see does not count."""
    return frozenset(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    unseen = {
        id(inner)
        for node in nodes_of(path)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in nodes_of(path):
        if id(node) in unseen:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: relative imports are not used"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@by_folder(modules(LINTER))
def test_imports_go_down_only(paths: list[Path]) -> None:
    wrong = set()
    for path in paths:
        part = part_of(path)
        if part == "__init__":
            continue  # the face loads lazily, by name
        assert part in BELOW, f"say in this test where `{part}` stands"
        for name in imports(path):
            words = name.split(".")
            other = words[1] if words[0] == "ownlint" and len(words) > 1 else part
            if other in BELOW and other != part and other not in BELOW[part] and (part, other) not in EXPLAINED:
                wrong.add((path, name))
            assert words[0] != "ownlint_rules", f"{path}: the machine knows no rule"
    assert wrong == set()


@by_folder(modules(LINTER) + modules(RULES))
def test_parsers_and_renderers_are_imported_where_they_belong(paths: list[Path]) -> None:
    for path in paths:
        for name in imports(path):
            homes = ONLY_IN.get(name.partition(".")[0])
            if homes is not None:
                assert any(path.is_relative_to(LINTER / home) for home in homes), f"{path}: {name} belongs to {homes}"


FULL = 25
"""More modules in a folder than that are looked through by nobody."""


def test_no_folder_is_too_full() -> None:
    counts = Counter(path.parent.relative_to(ROOT).as_posix() for path in modules(LINTER) if path.stem != "__init__")
    assert {folder: count for folder, count in counts.items() if count > FULL} == {}


@pytest.mark.parametrize("part", sorted(MACHINE))
def test_types_go_down_too(part: str) -> None:
    """What only type checkers see is held to the order of the parts as well."""
    paths = [path for path in modules(LINTER) if part_of(path) == part]
    named = {(path.stem, name) for path in paths for name in imported_names(path) if name.startswith("ownlint.")}
    wrong = {(stem, name) for stem, name in named if (other := name.split(".")[1]) != part and other not in BELOW[part]}
    assert sorted(wrong) == []


def test_no_module_needs_itself() -> None:
    """No cycle among modules, counting imports at the top of a module only."""
    names = {".".join(path.relative_to(LINTER.parent).with_suffix("").parts): path for path in modules(LINTER)}
    needs = {name: {other for other in _top_imports(path) if other in names} for name, path in names.items()}
    done: set[str] = set()
    while ready := {name for name in needs.keys() - done if needs[name] <= done}:
        done |= ready
    assert sorted(needs.keys() - done) == []


def _top_imports(path: Path) -> Iterator[str]:
    for node in tree_of(path).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_a_class_has_its_name_for_itself() -> None:
    """Whoever reads `CountState` needs no import to know which state it is."""
    places: dict[str, list[str]] = {}
    for path in modules(LINTER) + modules(RULES):
        for node in nodes_of(path):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(path.relative_to(ROOT).as_posix())
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_a_family_of_rules_sees_the_machine_by_its_face() -> None:
    """What stands in a `_` module is one family's: it could stand in anybody's pack."""
    found = [
        f"{path.relative_to(RULES)}: {strange}"
        for path in modules(RULES)
        if path.stem.startswith("_") and path.stem != "__init__"
        for strange in form.strange_imports(path, f"ownlint_rules.{path.parent.name}")
    ]
    assert found == []


def test_a_private_module_serves_rules_of_its_own_folder() -> None:
    private = {path for path in modules(RULES) if path.stem.startswith("_") and path.stem != "__init__"}
    used = {
        RULES / name.split(".")[1] / f"{name.split('.')[2]}.py"
        for path in modules(RULES)
        for name in imports(path)
        if name.startswith("ownlint_rules.") and name.count(".") >= 2
    }
    assert sorted(str(path.relative_to(RULES)) for path in private - used) == []


@cache
def library_words() -> frozenset[str]:
    """Libraries that models describe: the names of their files, and the words of their namespaces."""
    words: set[str] = set()
    for path in sorted((RULES / "models").glob("*.toml")):
        words.add(path.stem)
        library = tomllib.loads(path.read_text(encoding="utf-8")).get("library", {})
        words.update(re.findall(r"\w+", str(library.get("name", ""))))
        words.update(word for space in library.get("namespaces", ()) for word in re.findall(r"\w+", str(space)))
    words.update({"absl", "mlir", "liveOperations", "tensorflow", "pybind11", "nanobind"})
    return frozenset(word for word in words if len(word) > 3) - COMMON_WORDS


@cache
def any_library() -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(library_words()))))


def code_words(path: Path) -> Iterator[tuple[int, str]]:
    """The words of a module's code: names and strings, without comments and docstrings."""
    text = path.read_text(encoding="utf-8")
    docstrings = {
        node.value.lineno
        for node in nodes_of(path)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    }
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.NAME, tokenize.STRING) and token.start[0] not in docstrings:
            yield from ((token.start[0], word) for word in re.findall(r"[A-Za-z0-9_]+", token.string))


@by_folder(path for path in modules(LINTER) + modules(RULES) if "testing" not in path.parts)
def test_libraries_are_known_to_models_alone(paths: list[Path]) -> None:
    libraries = library_words()
    # Of most not even a comment names one, and to look at each token would take longer than all the rest.
    named = [path for path in paths if any_library().search(path.read_text(encoding="utf-8"))]
    found = {f"{path}:{line}: {word}" for path in named for line, word in code_words(path) if word in libraries}
    assert sorted(found) == []


OPENING = {
    "analysis/worker.py": {"__init__"},  # memory that it shares with its children
    "children.py": {"__init__", "_become", "resident"},  # shared memory, the null device, what the system says of us
    "machine.py": {"_text"},  # what the system says of memory and processors
    "cli/main.py": {"_open_streams", "_abandon_output"},  # nothing but the null device
    "door.py": {"_opened", "pieces"},
    "facts/cache.py": {"_prepare", "put"},  # writes
    "facts/cache_secret.py": {"_made"},  # writes
    "files.py": {"write_whole", "_replace", "_poured", "_written", "entered", "held"},  # writes
    "frontends/worker.py": {"main"},  # its pipes
    "server/language_server.py": {"serve"},  # its standard output
    "report/html.py": {"_asset"},  # installed with us
    "testing/new_rule.py": {"create"},  # writes
    "cli/verifying.py": {"_descriptions"},  # its own source
}
"""All functions that open files: the door, and those that write, or read what belongs to ownlint."""

OPENERS = frozenset({"open", "fdopen", "read_text", "read_bytes", "open_binary", "open_text", "memmap", "mmap"})


def _opening(path: Path) -> Iterator[str]:
    """The functions of a module that open something."""
    for function in nodes_of(path):
        for node in ast.walk(function) if isinstance(function, ast.FunctionDef) else ():
            if isinstance(node, ast.Call):
                called = node.func
                name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
                if name in OPENERS:
                    yield function.name


def test_files_are_opened_by_the_door_alone() -> None:
    """Whatever a tree, a setting or the environment may name is read through `ownlint.door`."""
    found = {path.relative_to(LINTER).as_posix(): set(_opening(path)) for path in modules(LINTER)}
    found |= {path.relative_to(ROOT).as_posix(): set(_opening(path)) for path in modules(RULES)}
    assert {name: functions for name, functions in found.items() if functions} == OPENING


# --- patterns ----------------------------------------------------------------------------------

MADE_OF_CONSTANTS = {
    "patterns.py": {"'|'.join(sorted(set(map(fnmatch.translate, patterns)))) or '(?!)'"},  # tries no star twice
    "models/tables.py": {"f'(?:{pattern})'"},  # the table of effects around it
    "testing/markdown.py": {
        "f'(?://|/\\\\*)[ \\\\t]*{_MARK}(?:\\\\*/|(?=//[ \\\\t]*(?:{_KINDS})\\\\b)|$)'",
        "f'#[ \\\\t]*{_MARK}(?:(?=#[ \\\\t]*(?:{_KINDS})\\\\b)|$)'",
    },
}
"""Expressions that are put together of what the program itself says, in a way that the test does not follow."""


def _is_constant(node: ast.AST, constants: frozenset[str]) -> bool:
    match node:
        case ast.Constant():
            return True
        case ast.Name(id=name):
            return name in constants
        case ast.JoinedStr(values=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return all(_is_constant(part, constants) for part in parts)
        case ast.Dict(values=parts):
            return all(_is_constant(part, constants) for part in parts)
        case ast.FormattedValue(value=value):
            return _is_constant(value, constants)
        case ast.BinOp(left=left, op=ast.Add() | ast.Mod(), right=right):
            return _is_constant(left, constants) and _is_constant(right, constants)
        case ast.Call(func=ast.Name(id="opens") | ast.Attribute(attr="opens"), args=[ast.Attribute()]):
            return True  # how a record begins in an encoded body
        case ast.Call(func=ast.Attribute(value=ast.Constant(), attr="join"), args=[parts]):
            return _is_constant(parts, constants)
        case ast.Call(func=ast.Name(id="sorted" | "frozenset"), args=[parts]):
            return _is_constant(parts, constants)
        case ast.Call(func=ast.Attribute(value=text, attr="encode"), args=[]):
            return _is_constant(text, constants)
    return False


def _constants(path: Path) -> frozenset[str]:
    """Names of the module that are given a constant, and nothing else anywhere."""
    given: dict[str, list[ast.AST | None]] = {}
    for node in nodes_of(path):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            given.setdefault(node.id, [])
        elif isinstance(node, ast.arg):
            given.setdefault(node.arg, []).extend((None, None))
    for statement in tree_of(path).body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target, value = statement.targets[0], statement.value
            if isinstance(target, ast.Name):
                given[target.id].append(value)
    constants: frozenset[str] = frozenset()
    while True:
        more = frozenset(
            name
            for name, values in given.items()
            if len(values) == 1 and values[0] is not None and _is_constant(values[0], constants)
        )
        if more == constants:
            return constants
        constants = more


@by_folder(modules(LINTER) + modules(RULES))
def test_no_text_becomes_a_pattern(paths: list[Path]) -> None:
    """What a tree, its settings or a model say is searched by Python's `re`, and never is the expression."""
    assert [found for path in paths for found in _made_patterns(path)] == []


def _made_patterns(path: Path) -> Iterator[str]:
    constants = _constants(path)
    known = MADE_OF_CONSTANTS.get(path.relative_to(LINTER if path.is_relative_to(LINTER) else RULES).as_posix(), set())
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom) and node.module == "re":
            yield f"{path}:{node.lineno}: imports from `re`"
        if (
            patterns_on_trial.is_call_of_re(node)
            and not _is_constant(node.args[0], constants)
            and ast.unparse(node.args[0]) not in known
        ):
            yield f"{path}:{node.lineno}: {ast.unparse(node.args[0])}"


def test_no_expression_backtracks_without_end() -> None:
    """In a process of its own, where a signal ends what takes too long."""
    script = ROOT / "tests" / "patterns_on_trial.py"
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=900, check=False)
    assert done.stdout == ""
    assert done.returncode == 0, done.stderr
