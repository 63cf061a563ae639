"""The part of libclang's C interface that `meaning` calls, without the layer of `clang.cindex`.

`clang.cindex` checks and wraps every result, at 3 to 5 us a cursor; a big file has tens of
thousands of them. The library is the one that the user's environment names, else that of the `libclang` distribution,
found without importing its package.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
from ctypes import POINTER, Structure, c_char_p, c_int, c_uint, c_ulong, c_void_p
from functools import lru_cache
from pathlib import Path

from ownlint.facts.base import LIBCLANG

KEEP_GOING = 0x200
SKIP_FUNCTION_BODIES = 0x40
SKIP_IN_PREAMBLE_ONLY = 0x800
PRECOMPILED_PREAMBLE = 0x4
PREAMBLE_ON_FIRST_PARSE = 0x100
INCOMPLETE = 0x2
FOR_SERIALIZATION = 0x10

ERROR = 3
"""Diagnostics from here on are errors; 4 is fatal."""

CONTINUE, RECURSE, BREAK = 1, 2, 0


class Cursor(Structure):
    _fields_ = [("kind", c_int), ("xdata", c_int), ("first", c_void_p), ("second", c_void_p), ("third", c_void_p)]


class CXType(Structure):
    _fields_ = [("kind", c_int), ("first", c_void_p), ("second", c_void_p)]


class String(Structure):
    _fields_ = [("data", c_void_p), ("flags", c_uint)]


class Location(Structure):
    _fields_ = [("first", c_void_p), ("second", c_void_p), ("offset", c_uint)]


class UnsavedFile(Structure):
    _fields_ = [("name", c_char_p), ("contents", c_char_p), ("length", c_ulong)]


VISITOR = ctypes.CFUNCTYPE(c_int, Cursor, Cursor, c_void_p)
INCLUSION_VISITOR = ctypes.CFUNCTYPE(None, c_void_p, POINTER(Location), c_uint, c_void_p)

_FUNCTIONS = {
    "clang_createIndex": (c_void_p, [c_int, c_int]),
    "clang_disposeIndex": (None, [c_void_p]),
    "clang_parseTranslationUnit2FullArgv": (
        c_int,
        [c_void_p, c_char_p, POINTER(c_char_p), c_int, POINTER(UnsavedFile), c_uint, c_uint, POINTER(c_void_p)],
    ),
    "clang_saveTranslationUnit": (c_int, [c_void_p, c_char_p, c_uint]),
    "clang_disposeTranslationUnit": (None, [c_void_p]),
    "clang_getTranslationUnitCursor": (Cursor, [c_void_p]),
    "clang_visitChildren": (c_uint, [Cursor, VISITOR, c_void_p]),
    "clang_getCursorLocation": (Location, [Cursor]),
    "clang_getFileLocation": (None, [Location, POINTER(c_void_p), c_void_p, c_void_p, POINTER(c_uint)]),
    "clang_getFile": (c_void_p, [c_void_p, c_char_p]),
    "clang_getFileName": (String, [c_void_p]),
    "clang_File_isEqual": (c_int, [c_void_p, c_void_p]),
    "clang_getCursorReferenced": (Cursor, [Cursor]),
    "clang_getCursorSemanticParent": (Cursor, [Cursor]),
    "clang_getCursorSpelling": (String, [Cursor]),
    "clang_getCursorType": (CXType, [Cursor]),
    "clang_getCursorResultType": (CXType, [Cursor]),
    "clang_getCanonicalType": (CXType, [CXType]),
    "clang_getTypeDeclaration": (Cursor, [CXType]),
    "clang_getPointeeType": (CXType, [CXType]),
    "clang_Type_getNamedType": (CXType, [CXType]),
    "clang_getTypedefDeclUnderlyingType": (CXType, [Cursor]),
    "clang_getCursorDefinition": (Cursor, [Cursor]),
    "clang_getTypeSpelling": (String, [CXType]),
    "clang_Cursor_isInlineNamespace": (c_uint, [Cursor]),
    "clang_Cursor_isAnonymous": (c_uint, [Cursor]),
    "clang_getCString": (c_char_p, [String]),
    "clang_disposeString": (None, [String]),
    "clang_getInclusions": (None, [c_void_p, INCLUSION_VISITOR, c_void_p]),
    "clang_getNumDiagnostics": (c_uint, [c_void_p]),
    "clang_getDiagnostic": (c_void_p, [c_void_p, c_uint]),
    "clang_disposeDiagnostic": (None, [c_void_p]),
    "clang_getDiagnosticSeverity": (c_int, [c_void_p]),
    "clang_getDiagnosticSpelling": (String, [c_void_p]),
    "clang_getDiagnosticLocation": (Location, [c_void_p]),
    "clang_Location_isInSystemHeader": (c_int, [Location]),
    "clang_getClangVersion": (String, []),
}


@lru_cache(maxsize=1)
def load() -> ctypes.CDLL:
    """The library, its functions declared. Raises `OSError` where there is none, or one that lacks a function."""
    path = os.environ.get(LIBCLANG) or _installed()
    library = ctypes.CDLL(path)
    for name, (result, arguments) in _FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise OSError(f"{path} is not libclang, or is too old: it has no {name}") from None
        function.restype = result
        function.argtypes = arguments
    return library


def _installed() -> str:
    spec = importlib.util.find_spec("clang")
    folders = [Path(folder) for folder in (spec.submodule_search_locations or ())] if spec is not None else []
    found = sorted(file for folder in folders for file in folder.glob("native/*clang.*"))
    if not found:
        raise OSError("the libclang distribution is not installed")
    return str(found[0])


def text(string: String) -> str:
    """The text of a string libclang gave away, which it takes back."""
    library = load()
    data: bytes | None = library.clang_getCString(string)
    result = data.decode("utf-8", "replace") if data else ""
    library.clang_disposeString(string)
    return result
