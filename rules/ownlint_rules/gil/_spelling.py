"""What to write to acquire or release the GIL, with the library that a file uses."""

from __future__ import annotations

from collections.abc import Collection

from ownlint import File, Program, signatures


def acquire(program: Program, file: File) -> str:
    """The guard that acquires the GIL, or the function of the C API."""
    guard = _named(program, file, "acquires_gil")
    return f"`{guard} gil;`" if guard else "`PyGILState_Ensure()`"


def release(program: Program, file: File) -> str:
    """The guard that releases the GIL, or the macro of the C API."""
    guard = _named(program, file, "releases_gil")
    return f"`{guard} release;`" if guard else "`Py_BEGIN_ALLOW_THREADS`"


def once(program: Program, file: File) -> str:
    """What initializes an object once and never destroys it; empty where the file uses no library that has it."""
    name = _named(program, file, "initializes_once")
    return f"`{name}`" if name else ""


def _named(program: Program, file: File, fact: str) -> str:
    """The class that a framework names, as the file would write it; empty where it uses none that does."""
    for _, model in sorted(program.models.frameworks.items()):
        if fact in model.facts and _uses(file, model.library, model.spelling.namespaces):
            return f"{signatures.spelled_namespace(file, model)}{model.facts[fact]}"
    return ""


def _uses(file: File, library: str, namespaces: Collection[str]) -> bool:
    if any(one.target.partition("/")[0] == library for one in file.imports):
        return True
    if any(alias.target.removeprefix("::") in namespaces for alias in file.aliases):
        return True
    spelled = tuple(f'"{name}::'.encode() for name in namespaces)
    return any(word in bytes(record.body) for record in file.functions for word in spelled)
