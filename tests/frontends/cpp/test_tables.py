"""Tables of C: methods, attributes, fields, slots, types and modules."""

from __future__ import annotations

from ownlint.facts.show import text
from ownlint.facts.vocabulary import Vocabulary
from ownlint.frontends.cpp import structure, tables

WORDS = Vocabulary(
    tables={
        "MethodDef": "method",
        "GetSetDef": "property",
        "MemberDef": "field",
        "Slot": "slot",
        "TypeObject": "type",
        "ModuleDef": "module",
    }
)


def found(source: str) -> dict[str, list[tuple[str, str, str, str]]]:
    file = structure.read("a.c", source.encode(), WORDS)
    return {
        table.name: [
            (
                entry.name,
                text(entry.function) if entry.function else "",
                text(entry.setter) if entry.setter else "",
                entry.flags,
            )
            for entry in table.entries
        ]
        for table in tables.extract(file, WORDS)
    }


def test_methods_are_read_through_casts_and_designators() -> None:
    source = """
    static MethodDef methods[] = {
      {"plain", plain, METH_NOARGS, "doc"},
      {"cast", (CFunction)(void (*)(void))cast, METH_VARARGS | METH_KEYWORDS, DOC("doc")},
      {"again", reinterpret_cast<CFunction>(again), METH_O},
      {.ml_name = "named", .ml_meth = (CFunction)named, .ml_flags = METH_O},
    #ifdef MORE
      {"more", more, METH_O},
    #endif
      {NULL, NULL, 0, NULL}
    };
    """
    assert found(source)["methods"] == [
        ("plain", "plain", "", "METH_NOARGS"),
        ("cast", "cast", "", "METH_VARARGS | METH_KEYWORDS"),
        ("again", "again", "", "METH_O"),
        ("named", "named", "", "METH_O"),
        ("more", "more", "", "METH_O"),
    ]


def test_attributes_have_setters_and_fields_have_flags() -> None:
    source = """
    static struct GetSetDef attributes[] = {{"x", (getter)get_x, (setter)set_x, "doc"}, {"y", (getter)get_y}, {0}};
    static MemberDef fields[] = {{"a", T_OBJECT_EX, offsetof(Foo, a), READONLY}, {}};
    """
    assert found(source) == {
        "attributes": [("x", "get_x", "set_x", ""), ("y", "get_y", "", "")],
        "fields": [("a", "", "", "READONLY")],
    }


def test_a_table_inside_a_function_counts() -> None:
    assert found('void f() { static MethodDef inner[] = {{"q", q, METH_O}, {nullptr}}; }') == {
        "inner": [("q", "q", "", "METH_O")]
    }


def test_types_and_modules_have_titles_and_refer_to_tables() -> None:
    source = """
    static Slot slots[] = {{tp_dealloc, (void*)dealloc}, {tp_methods, methods}, {0, NULL}};
    static TypeObject T = {HEAD(NULL, 0) .tp_name = "m.T", .tp_methods = methods};
    static ModuleDef module = {HEAD, "m", NULL, -1, functions};
    """
    file = structure.read("a.c", source.encode(), WORDS)
    listed = {table.name: table for table in tables.extract(file, WORDS)}
    assert [entry.name for entry in listed["slots"].entries] == ["tp_dealloc", "tp_methods"]
    assert (listed["T"].kind, listed["T"].title) == ("type", "m.T")
    assert "methods" in {name for entry in listed["T"].entries for name in entry.refers}
    assert listed["module"].title == "m"
    assert "functions" in {name for entry in listed["module"].entries for name in entry.refers}


def test_declarations_and_pointers_are_no_tables() -> None:
    assert found("extern MethodDef methods[]; static MethodDef *where = &methods[0]; int x[] = {1};") == {}
