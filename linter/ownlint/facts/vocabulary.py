"""The words a frontend needs before it can read: plain data, filled from the models.

A frontend knows a language, not a library. Where a library bends the language (a macro that stands
where an attribute would, a macro that takes a declaration, a class whose methods declare bindings),
the models say so and the frontend is handed the words. The vocabulary is part of every cache key.
"""

from __future__ import annotations

import re

import msgspec


class Framework(msgspec.Struct, frozen=True, gc=False):
    """How a binding framework is spelled: `pybind11`, `nanobind`, ...

    `namespaces` are the usual spellings of its namespace (`py`, `pybind11`, `nb`). `classes` maps the
    template that declares a class to nothing else; `methods` maps a defining method to the binding
    kind it makes (`def` -> `method`, `def_prop_ro` -> `property`); see `records.Binding.kind`.
    `constructors` stand where a callable would and make an `__init__` (`init`); `wrappers` are calls
    around a callable (`cpp_function`, `overload_cast`). `macros` are what its macros begin with (`NB_`).
    """

    name: str
    namespaces: tuple[str, ...]
    classes: tuple[str, ...]
    methods: dict[str, str]
    constructors: tuple[str, ...] = ()
    wrappers: tuple[str, ...] = ()
    macros: tuple[str, ...] = ()

    @property
    def full_names(self) -> tuple[str, ...]:
        """Its namespaces, but for abbreviations: a file declares them, and may do so for another framework."""
        long = tuple(name for name in self.namespaces if "::" in name)
        return (*long, *(name for name in self.namespaces if name == self.name))


class Anchor(msgspec.Struct, frozen=True, gc=False):
    """What makes a Python file worth reading: `word`, and one of `beside` too where there are any. Regular expressions,
    searched in the bytes as they lie on disk."""

    word: str
    beside: tuple[str, ...] = ()
    imported: bool = False
    """`word` is the last name of a module of the project, and an import has to name it: `train` is a word of many files
    that know nothing of that module."""


class Vocabulary(msgspec.Struct, frozen=True, gc=False):
    annotations: tuple[str, ...] = ()
    """Regular expressions (whole names) of macros that stand where an attribute would, with or
    without arguments: recorded as an `Annotation`, then blanked out before parsing."""
    declaring: tuple[str, ...] = ()
    """Regular expressions (whole names) of macros whose first argument is a declaration or a place and
    whose second argument is the value: `ASSIGN_OR_RETURN(auto x, f())`."""
    asserting: tuple[str, ...] = ()
    """Regular expressions of macros that test and vanish in release builds."""
    standing: tuple[str, ...] = ()
    """Regular expressions (whole names) of macros that are statements by themselves, without a semicolon:
    `BEGIN_WITHOUT_LOCK`."""
    frameworks: tuple[Framework, ...] = ()
    registries: tuple[str, ...] = ()
    """Regular expressions (whole names) of macros that open a block which binds nothing to Python."""
    anchors: tuple[Anchor, ...] = ()
    """A Python file that satisfies none of them is not read; without any, every file is."""

    tables: dict[str, str] = {}
    """Names of the C structs in whose tables and initialisers a module says what Python sees, and what is said there;
    see `records.Table.kind`."""

    def of(self, language: str) -> Vocabulary:
        """The words that the frontend of the language is handed; its facts do not depend on the others."""
        if language == "python":
            return Vocabulary(anchors=self.anchors)
        return msgspec.structs.replace(self, anchors=())


_encoder = msgspec.json.Encoder(order="sorted")


def encode_vocabulary(vocabulary: Vocabulary) -> bytes:
    return _encoder.encode(vocabulary)


def decode_vocabulary(data: bytes) -> Vocabulary:
    """Raises `msgspec.DecodeError` (or its `ValidationError`) on anything that is not a `Vocabulary`."""
    return msgspec.json.decode(data, type=Vocabulary)


def is_word(text: str) -> bool:
    """Whether it can stand for a vendor in names and paths."""
    return re.fullmatch(r"[A-Za-z][A-Za-z0-9]*", text) is not None
