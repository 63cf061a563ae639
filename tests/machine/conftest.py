"""Small programs from source text, as the pipeline would read them."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

import ownlint_rules
from ownlint.facts import binding_reader
from ownlint.frontends.cpp import structure, tables
from ownlint.frontends.python import read
from ownlint.models import libraries as models
from ownlint.project.program import Program
from ownlint.project.subjects import Function

MODELS = models.load([Path(ownlint_rules.__file__).parent / "models"])


def make(**files: str) -> Program:
    """`a_cc="..."` is the file `a.cc`."""
    vocabulary = msgspec.structs.replace(MODELS.vocabulary(), anchors=())
    read_files = []
    for name, source in files.items():
        path = ".".join(name.rsplit("_", 1))
        if path.endswith(".py"):
            read_files.append(read.read(path, source.encode(), vocabulary, path.removesuffix(".py")))
            continue
        file = structure.read(path, source.encode(), vocabulary)
        classes, bound = binding_reader.extract(file, vocabulary)
        listed = tables.extract(file, vocabulary)
        read_files.append(msgspec.structs.replace(file, bound_classes=classes, bindings=bound, tables=listed))
    return Program(read_files, MODELS)


@pytest.fixture
def program():
    return make


@pytest.fixture
def function():
    def find(made: Program, symbol: str) -> Function:
        return next(f for f in made.functions if f.symbol == symbol or f.name == symbol)

    return find
