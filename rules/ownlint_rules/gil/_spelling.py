"""What to write to acquire or release the GIL, with the library that a file uses."""

from __future__ import annotations

from ownlint import File, Program, signatures

_WITH_GUARDS = ("pybind11", "nanobind")


def _space(program: Program, file: File, library: str) -> str | None:
    """How the file writes the library's namespace, `::` included; None where it does not use the library."""
    framework = program.models.frameworks.get(library)
    if framework is None:
        return None
    names = framework.spelling.namespaces
    uses = any(one.target.partition("/")[0] == library for one in file.imports) or any(
        alias.target.removeprefix("::") in names for alias in file.aliases
    )
    spelled = tuple(f'"{name}::'.encode() for name in names)
    if not uses and not any(word in bytes(record.body) for record in file.functions for word in spelled):
        return None
    return signatures.spelled_namespace(file, framework)


def acquire(program: Program, file: File) -> str:
    """The guard that acquires the GIL, or the function of the C API."""
    spaces = (_space(program, file, library) for library in _WITH_GUARDS)
    space = next((space for space in spaces if space is not None), None)
    return f"`{space}gil_scoped_acquire gil;`" if space is not None else "`PyGILState_Ensure()`"


def release(program: Program, file: File) -> str:
    """The guard that releases the GIL, or the macro of the C API."""
    spaces = (_space(program, file, library) for library in _WITH_GUARDS)
    space = next((space for space in spaces if space is not None), None)
    return f"`{space}gil_scoped_release release;`" if space is not None else "`Py_BEGIN_ALLOW_THREADS`"


def once(program: Program, file: File) -> str:
    """What initializes an object once and never destroys it; empty where the file does not use pybind11."""
    space = _space(program, file, "pybind11")
    return f"`{space}gil_safe_call_once_and_store`" if space is not None else ""
