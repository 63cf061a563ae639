"""Model files about bindings: counted references, format strings, collectors, the GIL, frameworks."""

from __future__ import annotations

from pathlib import Path

import pytest

import ownlint_rules
from ownlint.models.libraries import Models, load
from ownlint.models.records import FunctionModel
from ownlint.models.tables import ModelError

BUILT_IN = Path(next(iter(ownlint_rules.__path__))) / "models"
LIBRARY = '[library]\nname = "mine"\n'
FUNCTION = LIBRARY + '[[function]]\nname = "f"\neffect = "acquire result"\n'
FRAMEWORK = LIBRARY + '[[framework]]\nname = "f"\n'


@pytest.fixture(scope="module")
def models() -> Models:
    return load([BUILT_IN])


def only(models: Models, name: str) -> FunctionModel:
    (found, *_) = models.function(name)
    return found


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (FUNCTION + 'counted = "yes"\n', 6, "`counted` must be true or false"),
        (FUNCTION + "counts = true\n", 6, "no key `counts`; did you mean `counted`?"),
        (FUNCTION + 'nullable = "no"\n', 6, "`nullable` must be true or false"),
        (FUNCTION + "together = 1\n", 6, "`together` must be true or false"),
        (FUNCTION + "togehter = true\n", 6, "no key `togehter`; did you mean `together`?"),
        (FUNCTION + "answers_zero = 0\n", 6, "`answers_zero` must be true or false"),
        (FUNCTION + "fills = 3\n", 6, "`fills` must be"),
        (FUNCTION + "fills = [3]\n", 6, "`fills` must be"),
        (FUNCTION + 'format_at = "2"\n', 6, "`format_at` must be"),
        (FUNCTION + "format_at = -1\n", 6, "a number from 0 to 99"),
        (FUNCTION + "format_steals = true\n", 6, "`format_steals` must be a string"),
        (FUNCTION + 'format_lends = ["O"]\n', 6, "`format_lends` must be a string"),
        (FUNCTION + "format_points = 1\n", 6, "`format_points` must be a string"),
        (FUNCTION + "format_acquires = 1\n", 6, "`format_acquires` must be a string"),
        (FUNCTION + 'format_aquires = "*"\n', 6, "did you mean `format_acquires`?"),
        (FUNCTION + 'keeps = "nobody"\n', 6, "`keeps` cannot be `nobody`"),
        (FUNCTION + "replaced_since = 3.13\n", 6, "`replaced_since` must be a string"),
        (LIBRARY + '[[function]]\nname = "f"\neffect = "visit"\n', 5, "visit"),
        (LIBRARY + '[[function]]\nname = "f"\neffect = "retian argument 1"\n', 5, "did you mean `retain argument 1`?"),
        (LIBRARY + "prefixes = 3\n", 3, "`prefixes` must be"),
        (LIBRARY + "constants = [1]\n", 3, "`constants` must be"),
        (LIBRARY + "atomic = 1\n", 3, "`atomic` must be"),
        (LIBRARY + 'atomics = ["f"]\n', 3, "no key `atomics`; did you mean `atomic`?"),
        (LIBRARY + '[gil]\nfrees = ["f"]\n', 4, "no key `frees`; did you mean `free`?"),
        (LIBRARY + "[gil]\ndrops = [1]\n", 4, "`drops` must be"),
        (LIBRARY + "[gil]\nruns = 1\n", 4, "`runs` must be"),
        (LIBRARY + '[[class]]\nname = "C"\nrole = "slot tabel"\n', 5, "did you mean `slot table`?"),
        (LIBRARY + '[[class]]\nname = "C"\nrole = "python objects"\n', 5, "did you mean `python object`?"),
        (LIBRARY + "[[framework]]\n", 3, "`framework` needs `name`"),
        (FRAMEWORK + '[framework.policies]\nkeep = "refrence"\n', 6, "did you mean `reference`?"),
        (FRAMEWORK + '[framework.extras]\nka = "keep alives"\n', 6, "did you mean `keep alive`?"),
        (FRAMEWORK + '[framework.defaults]\npointer = "copied"\n', 6, "`copied`"),
        (FRAMEWORK + '[framework.defaults]\npointers = "copy"\n', 6, "`pointers` is unknown here; did you"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_in_one_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(ModelError) as caught:
        load([BUILT_IN, file])
    said = str(caught.value)
    assert said.startswith(f"{file}:{line}: ")
    assert message in said
    assert "\n" not in said


def test_a_reference_may_come_by_result_or_through_an_argument(models: Models) -> None:
    made, looked_up = only(models, "PyList_New"), only(models, "PyDict_GetItemRef")
    assert made.counted
    assert made.nullable
    assert made.has("acquire", "result")
    assert looked_up.counted
    assert looked_up.nullable
    assert looked_up.has("acquire", "argument 3")
    assert only(models, "PyList_GetItem").replaced_by == "PyList_GetItemRef"


def test_what_is_filled_in_together_and_what_answers_zero(models: Models) -> None:
    fetched, buffer = only(models, "PyErr_Fetch"), only(models, "PyObject_GetBuffer")
    assert fetched.together
    assert not fetched.answers_zero
    assert buffer.answers_zero
    assert buffer.fills == ("buf", "obj")
    assert not buffer.together
    assert only(models, "PyFrame_GetCode").nullable is False


def test_the_letters_of_a_format_are_of_four_kinds(models: Models) -> None:
    parsed, built = only(models, "PyArg_ParseTuple"), only(models, "Py_BuildValue")
    assert parsed.format_at == 2
    assert "O" in parsed.format_lends
    assert "s" in parsed.format_points
    assert parsed.format_acquires == "*"
    assert built.format_steals == "N"


def test_the_project_s_own_library_is_known_by_its_words(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        LIBRARY
        + 'prefixes = ["Mine_"]\nconstants = ["Mine_Nil", "Mine_Error*"]\n'
        + 'atomic = "Mine_Int*"\n'
        + '[[function]]\nname = "Mine_Show"\neffect = "visit argument 1"\n'
        + '[[function]]\nname = "Mine_Over"\neffect = ["acquire result", "borrow result from argument 1"]\n'
        + 'keeps = "none"\ncounted = true\n'
    )
    models = load([BUILT_IN, file])
    assert "Mine_" in models.prefixes
    assert models.constants.fits("Mine_ErrorRange")
    assert models.constants.fits("Py_None")
    assert not models.constants.fits("Mine_Nile")
    assert models.atomic.fits("Mine_IntFrom")
    assert models.atomic.fits("PyLong_FromLong")
    assert not models.atomic.fits("Mine_List")
    assert {"Mine_Show", "Py_VISIT"} <= models.visitors
    assert {"Mine_Over", "PyMemoryView_FromMemory", "PyArray_SimpleNewFromData"} <= models.lenders
    assert "Mine_Over" in models.counted_names


def test_words_about_the_interpreters_lock(models: Models) -> None:
    assert models.gil_word("PyGILState_Ensure", ()) == "takes"
    assert models.gil_word("PyEval_SaveThread", ()) == "drops"
    assert models.gil_word("PyMem_RawMalloc", ()) == "free"
    assert models.gil_word("PyList_New", ()) == "needs"
    assert models.gil_word("malloc", ()) == ""
    assert models.runs_python("PyObject_CallObject", ())
    assert not models.runs_python("PyTuple_GET_ITEM", ())


def test_frameworks_differ_in_what_they_honour(models: Models) -> None:
    pybind, nano = models.frameworks["pybind11"], models.frameworks["nanobind"]
    assert pybind.facts["keep_alive_on_property"] == "ignored"
    assert nano.facts["keep_alive_on_property"] == "honoured"
    assert pybind.facts["array_without_base"] == "copied"
    assert nano.facts["array_without_base"] == "policy"
    assert pybind.defaults["reference"] == nano.defaults["reference"] == "copy"
    assert pybind.extras["keep_alive"] == "keep alive"
