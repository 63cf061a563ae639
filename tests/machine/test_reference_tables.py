"""The functions of the C API that lend, hand out and steal references: the model against the tables of the manual."""

from __future__ import annotations

from pathlib import Path

import pytest

import ownlint_rules
from ownlint.models.libraries import Models, load
from ownlint.models.records import FunctionModel

BUILT_IN = Path(next(iter(ownlint_rules.__path__))) / "models"

LEND = [
    "PyList_GetItem",
    "PyList_GET_ITEM",
    "PyDict_GetItem",
    "PyDict_GetItemWithError",
    "PyDict_GetItemString",
    "PyDict_SetDefault",
    "PyTuple_GetItem",
    "PyTuple_GET_ITEM",
    "PyStructSequence_GetItem",
    "PyStructSequence_GET_ITEM",
    "PySequence_Fast_GET_ITEM",
    "PyWeakref_GetObject",
    "PyWeakref_GET_OBJECT",
    "PyImport_AddModule",
    "PyImport_AddModuleObject",
    "PyImport_GetModuleDict",
    "PyCell_GET",
    "PySys_GetObject",
    "PySys_GetXOptions",
    "PyEval_GetBuiltins",
    "PyEval_GetLocals",
    "PyEval_GetGlobals",
    "PyEval_GetFrame",
    "PyErr_Occurred",
    "PyModule_GetDict",
    "PyState_FindModule",
    "PyModuleDef_Init",
    "PyThreadState_GetDict",
    "PyFunction_GetCode",
    "PyFunction_GetGlobals",
    "PyFunction_GetModule",
    "PyFunction_GetDefaults",
    "PyFunction_GetClosure",
    "PyFunction_GetAnnotations",
    "PyMethod_Function",
    "PyMethod_Self",
    "PyMethod_GET_FUNCTION",
    "PyMethod_GET_SELF",
    "PyInstanceMethod_Function",
    "PyInstanceMethod_GET_FUNCTION",
    "Py_GetConstantBorrowed",
    "PyType_GetModule",
    "PyType_GetModuleByDef",
    "PyDateTime_DATE_GET_TZINFO",
    "PyDateTime_TIME_GET_TZINFO",
    "PyArray_DESCR",
    "PyArray_BASE",
    "PyArray_DTYPE",
]

STRONG = {
    "PyList_GetItem": "PyList_GetItemRef",
    "PyList_GET_ITEM": "PyList_GetItemRef",
    "PyDict_GetItem": "PyDict_GetItemRef",
    "PyDict_GetItemWithError": "PyDict_GetItemRef",
    "PyDict_GetItemString": "PyDict_GetItemStringRef",
    "PyDict_SetDefault": "PyDict_SetDefaultRef",
    "PyWeakref_GetObject": "PyWeakref_GetRef",
    "PyImport_AddModule": "PyImport_AddModuleRef",
    "PyCell_GET": "PyCell_Get",
    "PyEval_GetBuiltins": "PyEval_GetFrameBuiltins",
    "PyEval_GetLocals": "PyEval_GetFrameLocals",
    "PyEval_GetGlobals": "PyEval_GetFrameGlobals",
    "Py_TYPE": "PyObject_Type",
    "Py_GetConstantBorrowed": "Py_GetConstant",
}
"""Those that lend, and those that do the same and hand out."""

FILL = {
    "PyDict_GetItemRef": 3,
    "PyDict_GetItemStringRef": 3,
    "PyDict_SetDefaultRef": 4,
    "PyObject_GetOptionalAttr": 3,
    "PyObject_GetOptionalAttrString": 3,
    "PyMapping_GetOptionalItem": 3,
    "PyMapping_GetOptionalItemString": 3,
    "PyDict_Pop": 3,
    "PyDict_PopString": 3,
    "PyWeakref_GetRef": 2,
    "PyIter_NextItem": 2,
    "PyUnicode_FSConverter": 2,
}
"""The argument through which a new reference comes."""

STEAL = {
    "PyList_SetItem": (3,),
    "PyTuple_SetItem": (3,),
    "PyList_SET_ITEM": (3,),
    "PyTuple_SET_ITEM": (3,),
    "PyStructSequence_SetItem": (3,),
    "PyStructSequence_SET_ITEM": (3,),
    "PyCell_SET": (2,),
    "PyModule_Add": (3,),
    "PyErr_Restore": (1, 2, 3),
    "PyErr_SetExcInfo": (1, 2, 3),
    "PyErr_SetRaisedException": (1,),
    "PyException_SetCause": (2,),
    "PyException_SetContext": (2,),
    "PyBytes_ConcatAndDel": (2,),
    "PyUnicode_AppendAndDel": (2,),
    "Py_SETREF": (2,),
    "Py_XSETREF": (2,),
    "PyArray_NewFromDescr": (2,),
    "PyArray_FromAny": (2,),
    "PyArray_FromArray": (2,),
    "PyArray_CheckFromAny": (2,),
    "PyArray_Zeros": (3,),
    "PyArray_Empty": (3,),
    "PyArray_CastToType": (2,),
    "PyArray_SetBaseObject": (2,),
    "PyArray_SetWritebackIfCopyBase": (2,),
    "PyArray_Return": (1,),
}

KEEP_THEIR_OWN = [
    "PyDict_SetItem",
    "PyDict_SetItemString",
    "PyList_Append",
    "PyList_Insert",
    "PySet_Add",
    "PyObject_SetAttr",
    "PyObject_SetAttrString",
    "PySequence_SetItem",
    "PyErr_SetObject",
    "PyTuple_Pack",
    "PyObject_Call",
    "PyObject_CallObject",
    "PyObject_CallFunctionObjArgs",
    "PyObject_CallOneArg",
    "PyCapsule_SetContext",
    "PyModule_AddObjectRef",
    "PyModule_AddType",
]


@pytest.fixture(scope="module")
def models() -> Models:
    return load([BUILT_IN])


def only(models: Models, name: str) -> FunctionModel:
    found = models.function(name)
    assert found, name
    return found[0]


def _adopted(model: FunctionModel) -> tuple[int, ...]:
    return tuple(effect.place.index + 1 for effect in model.effects if effect.verb == "adopt" and effect.place)


@pytest.mark.parametrize("name", LEND)
def test_what_is_lent_is_not_owned(models: Models, name: str) -> None:
    model = only(models, name)
    assert model.counted
    assert model.has("borrow", "result")
    assert not model.has("acquire", "result")


@pytest.mark.parametrize(("name", "strong"), sorted(STRONG.items()))
def test_the_strong_relative_hands_out(models: Models, name: str, strong: str) -> None:
    assert only(models, name).replaced_by == strong
    model = only(models, strong)
    assert model.counted
    assert any(effect.verb == "acquire" for effect in model.effects)


@pytest.mark.parametrize(("name", "argument"), sorted(FILL.items()))
def test_a_variable_is_filled_with_a_new_reference(models: Models, name: str, argument: int) -> None:
    model = only(models, name)
    assert model.counted
    assert model.has("acquire", f"argument {argument}")


@pytest.mark.parametrize("name", ["PyDict_Next"])
def test_variables_are_filled_with_borrowed_references(models: Models, name: str) -> None:
    model = only(models, name)
    assert model.has("borrow", "argument 3")
    assert model.has("borrow", "argument 4")


@pytest.mark.parametrize(("name", "stolen"), sorted(STEAL.items()))
def test_what_is_stolen_is_stolen_on_failure_too(models: Models, name: str, stolen: tuple[int, ...]) -> None:
    model = only(models, name)
    assert _adopted(model) == stolen
    assert not any(effect.mode == "on success" for effect in model.effects)


def test_one_function_steals_on_success_alone(models: Models) -> None:
    assert [e.mode for e in only(models, "PyModule_AddObject").effects if e.verb == "adopt"] == ["on success"]


@pytest.mark.parametrize("name", KEEP_THEIR_OWN)
def test_mistaken_for_stealing(models: Models, name: str) -> None:
    assert not _adopted(only(models, name))


@pytest.mark.parametrize(("name", "letter"), [("Py_BuildValue", "N"), ("PyObject_CallFunction", "N")])
def test_a_letter_steals(models: Models, name: str, letter: str) -> None:
    model = only(models, name)
    assert letter in model.format_steals
    assert "O" not in model.format_steals


@pytest.mark.parametrize("name", ["_PyBytes_Resize", "_PyTuple_Resize"])
def test_a_resize_may_end_the_object(models: Models, name: str) -> None:
    assert only(models, name).has("invalidate", "argument 1")


@pytest.mark.parametrize("name", ["PyObject_Init", "PyObject_InitVar", "PyObject_GC_Resize"])
def test_the_same_object_comes_back(models: Models, name: str) -> None:
    assert only(models, name).has("returns", "argument 1")


@pytest.mark.parametrize("letter", "OSU")
def test_parsed_objects_are_lent(models: Models, letter: str) -> None:
    assert letter in only(models, "PyArg_ParseTuple").format_lends
