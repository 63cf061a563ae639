"""Finds the methods that are defined outside of their class."""
import argparse

from clang.cindex import CursorKind, Index

METHODS = (CursorKind.CXX_METHOD, CursorKind.CONSTRUCTOR, CursorKind.DESTRUCTOR)


def parse(path, args):
    unit = Index.create().parse(path, args=args)
    errors = [d for d in unit.diagnostics if d.severity >= 3]
    if errors:
        raise SystemExit(f"{path}: {errors[0].spelling}")
    return unit


def definitions(unit):
    for cursor in unit.cursor.walk_preorder():
        if cursor.kind in METHODS and cursor.is_definition():
            yield cursor


def is_out_of_line(cursor):
    return cursor.semantic_parent != cursor.lexical_parent


def outsiders(unit, only_file):
    rows = []
    for cursor in definitions(unit):
        place = cursor.location
        if place.file is None or place.file.name != only_file:
            continue
        if is_out_of_line(cursor):
            rows.append((place.line, cursor.semantic_parent.spelling, cursor.spelling))
    return sorted(rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("path")
    parser.add_argument("flags", nargs="*", default=["-std=c++17"])
    options = parser.parse_args()
    unit = parse(options.path, options.flags)
    for line, owner, name in outsiders(unit, options.path):
        print(f"{options.path}:{line}: {owner}::{name}")


if __name__ == "__main__":
    main()
