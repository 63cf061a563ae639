"""Model files: what a mistake in one looks like, and what the look-ups answer."""

from __future__ import annotations

import re
import time
import tomllib
from pathlib import Path

import pytest

import ownlint_rules
from ownlint.facts.vocabulary import Anchor
from ownlint.models.libraries import Models, load
from ownlint.models.names import spelling
from ownlint.models.records import Effect, Place
from ownlint.models.tables import ModelError, parse_effect

BUILT_IN = Path(next(iter(ownlint_rules.__path__))) / "models"
LIBRARY = '[library]\nname = "mine"\n'


@pytest.fixture(scope="module")
def models() -> Models:
    return load([BUILT_IN])


def read(folder: Path, text: str, name: str = "mine.toml") -> Models:
    file = folder / name
    file.write_text(text)
    return load([BUILT_IN, file])


# --- mistakes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "a model needs a `[library]` table with a `name`"),
        ('[library]\nlanguages = ["cpp"]\n', 1, "`library` needs `name`"),
        ("[library]\nname = 3\n", 2, "`name` must be a string"),
        ('[library]\nname = "a"\nlanguages = ["cpp", "ocaml"]\n', 3, "`languages` cannot be `ocaml`; it is one of"),
        (LIBRARY + "\n[[functoin]]\n", 4, "no key `functoin`; did you mean `function`?"),
        (LIBRARY + '[function]\nname = "f"\n', 3, "write `[[function]]` with double brackets"),
        (LIBRARY + '[[function]]\nname = "f"\neffects = "may fail"\n', 5, "no key `effects`; did you mean `effect`?"),
        (LIBRARY + '[[function]]\nname = "f"\neffect = "may fail"\nrelesed_by = "g"\n', 6, "mean `released_by`?"),
        (LIBRARY + '[[function]]\neffect = "may fail"\n', 3, "`function` needs either `name` or `names`"),
        (LIBRARY + '[[class]]\nname = "C"\nrole = "gaurd"\n', 5, "`role` cannot be `gaurd`; did you mean `guard`?"),
        (LIBRARY + '[[macro]]\npattern = "A("\nrole = "log"\n', 4, "`A(` is not a regular expression"),
        (LIBRARY + '[[macro]]\nname = "A"\n', 3, "`macro` needs `role`"),
        (LIBRARY + '[[macro]]\nname = "A"\nrole = "log"\nargument = -1\n', 6, "a number from 0 to 99"),
        (LIBRARY + '[[status]]\ntypes = ["S"]\nnodiscard = "yes"\n', 5, "`nodiscard` must be true or false"),
        (LIBRARY + "[[status]]\n", 3, "`status` needs `types`"),
        (LIBRARY + "[[status]\n", 3, "expected ']]' at the end of an array declaration"),
        (LIBRARY + '[env]\nignores = ["HOME"]\n', 4, "no key `ignores`; did you mean `ignore`?"),
        (LIBRARY + "[env]\nreads = [3]\n", 4, "`reads` must be"),
        (LIBRARY + '[[framework]]\nname = "f"\n[framework.methods]\ndef = "metod"\n', 6, "did you mean `method`?"),
        (LIBRARY + '[[python.member]]\non = "C"\nname = "x"\n', 4, "`C`, which is not a `[[python.class]]`"),
        (
            LIBRARY + '[[python.class]]\nname = "m.C"\n[[python.member]]\non = "C"\nname = "x"\nborrows = "me"\n',
            8,
            "`borrows` cannot be `me`",
        ),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        read(tmp_path, text)
    assert caught.value.line == line
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"{tmp_path / 'mine.toml'}:{line}: ")


def test_the_line_is_that_of_the_table_and_the_item_not_of_the_first_that_looks_like_it(tmp_path: Path) -> None:
    good = '[[function]]\nname = "f"\neffect = [\n  "may fail",\n  "release argument 1",\n]\n'
    bad = '[[function]]\nname = "g"\neffect = [\n  "may fail",\n  "relase argument 1",\n]\n'
    with pytest.raises(ModelError, match="did you mean `release argument 1`") as caught:
        read(tmp_path, LIBRARY + good + bad)
    assert caught.value.line == 2 + 6 + 5


def test_a_projects_own_words_about_the_environment_join_those_of_the_library(tmp_path: Path) -> None:
    models = read(tmp_path, LIBRARY + '[env]\nreads = "ReadKnob"\nignore = ["MINE_*"]\n')
    assert {"getenv", "ReadKnob"} <= set(models.environment.reads)
    assert models.environment.ignores("HOME")
    assert models.environment.ignores("MINE_OWN")
    assert not models.environment.ignores("OTHERS")


def test_what_is_no_model_file_is_an_error_too(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        load([tmp_path / "absent.toml"])
    (tmp_path / "latin.toml").write_bytes(b'[library]\nname = "\xe9"\n')
    with pytest.raises(ModelError, match=r"latin\.toml:2: the file is not UTF-8"):
        load([tmp_path / "latin.toml"])


# --- effects ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "effect"),
    [
        ("acquire result", Effect("acquire", Place("result"))),
        ("keep argument 2 in argument 1", Effect("keep", Place("argument", 2), Place("argument", 1))),
        ("borrow result from receiver", Effect("borrow", Place("result"), Place("receiver"))),
        ("invalidate argument 1 below", Effect("invalidate", Place("argument", 1), None, "below")),
        ("hold receiver shared", Effect("hold", Place("receiver"), None, "shared")),
        (
            "adopt argument 3 in argument 1 on success",
            Effect("adopt", Place("argument", 3), Place("argument", 1), "on success"),
        ),
        ("may fail", Effect("may fail")),
    ],
)
def test_effects_are_sentences(text: str, effect: Effect) -> None:
    assert parse_effect(text) == effect
    assert str(effect) == text


@pytest.mark.parametrize(
    "text", ["", "acquire", "acquire argument 0", "borrow result", "invalidate receiver", "May fail"]
)
def test_half_a_sentence_is_no_effect(text: str) -> None:
    assert parse_effect(text) is None


# --- status types -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "type",
    [
        "absl::Status", "absl::StatusOr<std::unique_ptr<T>>", "::absl::lts_20240116::Status", "const absl::Status",
        "tsl::Status", "tsl::StatusOr<int>", "tensorflow::Status", "xla::Status", "xla::StatusOr<T>",
        "stream_executor::port::Status", "se::port::Status", "arrow::Status", "arrow::Result<T>", "rocksdb::Status",
        "rocksdb::IOStatus", "leveldb::Status", "grpc::Status", "tensorstore::Result<void>", "iree::Status",
        "iree::StatusOr<T>", "llvm::Error", "llvm::Expected<T>", "llvm::LogicalResult", "mlir::LogicalResult",
        "mlir::FailureOr<T>", "onnx::Common::Status", "google::protobuf::util::Status", "iree_status_t",
        "grpc_error_handle", "PJRT_Error*", "XLA_FFI_Error *", "TF_Status*", "TSL_Status*", "PLUGIN_Profiler_Error*",
        "cudaError_t", "CUresult", "hipError_t", "ncclResult_t", "cufftResult", "cublasStatus_t", "cudnnStatus_t",
        "miopenStatus_t", "rocblas_status", "hipfftResult", "ze_result_t", "CUptiResult", "VkResult",
    ],
)  # fmt: skip
def test_the_whole_status_vocabulary_is_known(models: Models, type: str) -> None:
    assert models.status(type)


@pytest.mark.parametrize("type", ["Status", "Result<T>", "Error", "my::Status", "PJRT_Error", "absl::Status*", "int"])
def test_a_name_alone_is_not_a_status(models: Models, type: str) -> None:
    assert models.status(type) is None


def test_where_the_code_stands_makes_a_short_name_certain(models: Models) -> None:
    inside = models.status("Status", ("rocksdb::log", "rocksdb"))
    assert inside is not None
    assert (inside.name, inside.certainty) == ("rocksdb::Status", "certain")
    using = models.status("Status", ("mine", "absl::Status"))
    assert using is not None
    assert using.name == "absl::Status"
    assert models.status("Result<int>", ("tensorstore::internal", "tensorstore")) is not None
    assert models.status("Result<int>", ("mine",)) is None


def test_an_unmistakable_name_is_possible_anywhere(models: Models) -> None:
    found = models.status("LogicalResult", ("mine",))
    assert found is not None
    assert found.certainty == "possible"


def test_references_and_kinds_are_told_apart(models: Models) -> None:
    found = models.status("const tsl::Status &")
    assert found is not None
    assert found.reference
    pointer, enum = models.status("iree_status_t"), models.status("cudaError_t")
    assert pointer is not None
    assert enum is not None
    assert (pointer.kind, enum.kind) == ("pointer", "enum")
    value = models.status("absl::StatusOr<std::map<K, V>>&&")
    assert value is not None
    assert value.template == "std::map<K, V>"


# --- classes, functions, macros ---------------------------------------------------------------------


def test_roles_say_what_kind_of_thing_a_type_is(models: Models) -> None:
    assert "stable container" in models.role("std::unordered_map<int, T>")
    assert "associative" in models.role("absl::flat_hash_map<K, V>")
    assert "stable container" not in models.role("const absl::flat_hash_map<K, V>&")
    assert "stable container" in models.role("absl::node_hash_map<K, V>")
    assert "stable container" not in models.role("llvm::DenseMap<K, V>")
    assert "smart pointer" in models.role("std::unique_ptr<T>")
    assert models.role("StringRef", ("llvm",)) == ("view",)
    assert "guard" in models.role("py::gil_scoped_acquire")
    assert models.classes("nb::gil_scoped_release")[0].holds == "gil"
    assert models.classes("absl::ReaderMutexLock")[0].shared
    assert models.role("auto") == models.role("") == models.role("mine::map") == ()


def test_functions_are_found_by_the_end_of_their_name(models: Models) -> None:
    (whole,) = models.function("stream_executor::StreamExecutor::Allocate")
    (part,) = models.function("StreamExecutor::Allocate")
    assert (whole.certainty, part.certainty) == ("certain", "likely")
    assert whole.released_by == ("stream_executor::StreamExecutor::Deallocate",)
    assert models.function("se::StreamExecutor::Allocate")[0].certainty == "certain"
    assert models.function("Allocate") == models.function("Lock") == ()


def test_c_functions_are_global(models: Models) -> None:
    assert models.function("PyList_GetItem")[0].has("borrow", "result")
    assert models.function("::PyList_GetItem")
    assert models.function("mine::PyList_GetItem") == ()
    assert models.function("PyLong_FromSsize_t")[0].has("acquire", "result")
    assert models.function("iree_hal_buffer_release")[0].has("release", "argument 1")


def test_an_exact_name_comes_before_a_wildcard(models: Models) -> None:
    assert models.function("PyNumber_Check")[0].has("copy")
    assert models.function("PyNumber_Add")[0].has("acquire")


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("TF_RETURN_IF_ERROR", "return on failure"), ("ARROW_RETURN_NOT_OK", "return on failure"),
        ("TENSORSTORE_RETURN_IF_ERROR", "return on failure"), ("XLA_RETURN_AND_END_ZONE_IF_ERROR", "return on failure"),
        ("RET_CHECK", "return on failure"), ("OP_REQUIRES_OK", "return on failure"), ("CHECK_OK", "check"),
        ("TF_ASSIGN_OR_RETURN", "assign or return"), ("ARROW_ASSIGN_OR_RAISE", "assign or return"),
        ("TENSORSTORE_CHECK_OK_AND_ASSIGN", "declaring"), ("assert", "assert"), ("DCHECK_EQ", "assert"),
        ("ABSL_DCHECK", "assert"),
        ("GPR_DEBUG_ASSERT", "assert"), ("TSL_DCHECK", "assert"), ("IREE_ASSERT_EQ", "assert"),
        ("ARROW_DCHECK_OK", "evaluated assert"), ("DCHECK_OK", "evaluated assert"), ("ABSL_DCHECK_OK", "assert"),
        ("ARROW_DCHECK", "assert"), ("PYBIND11_DEBUG_ASSERT", "assert"), ("QCHECK", "check"),
        ("GPR_ASSERT", "check"),
        ("VLOG", "debug log"), ("XLA_VLOG_LINES", "debug log"), ("LOG_IF", "log"), ("ROCKS_LOG_WARN", "log"),
        ("ABSL_GUARDED_BY", "guarded by"), ("TF_GUARDED_BY", "guarded by"), ("PT_GUARDED_BY", "guarded by"),
        ("ABSL_EXCLUSIVE_LOCKS_REQUIRED", "requires lock"), ("LOCKS_EXCLUDED", "excludes lock"),
        ("ABSL_NO_THREAD_SAFETY_ANALYSIS", "no analysis"), ("ABSL_MUST_USE_RESULT", "annotation"),
        ("MLIR_CAPI_EXPORTED", "annotation"), ("LLVM_NODISCARD", "annotation"), ("PYBIND11_EXPORT", "annotation"),
        ("NB_INLINE", "annotation"), ("ABSL_ATTRIBUTE_LIFETIME_BOUND", "annotation"), ("FOO_EXPORT", "annotation"),
    ],
)  # fmt: skip
def test_macros_have_a_role(models: Models, name: str, role: str) -> None:
    found = models.macro(name)
    assert found is not None
    assert found.role == role


@pytest.mark.parametrize(
    "name", ["EXPECT_EQ", "TEST_F", "Py_BEGIN_ALLOW_THREADS", "MIN", "kExport", "LOGICAL", "STATUS_OK"]
)
def test_other_macros_have_none(models: Models, name: str) -> None:
    assert models.macro(name) is None


def test_the_argument_that_counts_is_counted_from_one_in_the_file_and_from_nought_as_an_index(models: Models) -> None:
    found = models.macro("OP_REQUIRES_OK")
    assert found is not None
    assert (found.argument, found.index) == (2, 1)
    assign = models.macro("ASSIGN_OR_RETURN")
    assert assign is not None
    assert assign.index == 1


# --- Python -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "module", ["mlir.ir", "jaxlib.mlir.ir", "jax._src.lib.mlir.ir", "iree.compiler.ir", "circt.ir"]
)
def test_a_class_is_known_under_every_name_of_its_module(models: Models, module: str) -> None:
    parse = models.python_member(f"{module}.Module", "parse")
    assert parse is not None
    assert (parse.kind, parse.keeps, parse.returns) == ("static", "own", ("mlir.ir.Module",))


def test_members_come_from_bases_too(models: Models) -> None:
    assert models.python_member("torch_mlir.dialects.func.FuncOp", "erase") == models.python_member(
        "mlir.ir.OpView", "erase"
    )
    assert models.python_member("mlir.ir.OpResult", "owner") is not None
    assert models.python_member("mlir.ir.Module", "no_such") is None
    assert models.python_class("mine.Module") is None


def test_the_chain_of_a_child_handle_can_be_followed(models: Models) -> None:
    kept, where = [], "mlir.ir.Module"
    for name in ("body", "operations", "__getitem__"):
        member = models.python_member(where, name)
        assert member is not None
        kept.append(member.keeps)
        where = member.returns[0]
    assert (kept, where) == (["owner", "wrapper", "none"], "mlir.ir.OpView")


def test_versions_stand_side_by_side(models: Models) -> None:
    old, new = (models.python_member("mlir.ir.Context", "_clear_live_operations", version) for version in "AB")
    assert old is not None
    assert new is not None
    assert (old.removed, new.removed) == (False, True)


def test_star_imports_bring_what_a_module_exports(models: Models) -> None:
    assert {"Module", "Operation", "InsertionPoint"} <= set(models.exports("jaxlib.mlir.ir"))
    assert "_OperationBase" not in models.exports("mlir.ir")
    assert models.exports("mine") == ()


def test_a_user_writes_a_table_of_views(tmp_path: Path) -> None:
    models = read(
        tmp_path,
        '[library]\nname = "mine"\nlanguages = "python"\nanchors = "mylib"\n'
        '[[python.class]]\nname = "mylib.Vector"\nrole = "owner"\n'
        '[[python.member]]\non = "Vector"\nname = "as_numpy"\nborrows = "self"\nkeeps = "none"\n',
    )
    found = models.python_member("mylib.Vector", "as_numpy")
    assert found is not None
    assert (found.borrows, found.keeps) == ("self", "none")
    made = models.python_member("mylib.Vector", "__init__")
    assert made is not None
    assert made.keeps == "own"
    assert Anchor("mylib", (r"\bVector\b",)) in models.vocabulary().anchors


VECTOR = LIBRARY + '[[python.class]]\nname = "mylib.Vector"\n[[python.member]]\non = "Vector"\nname = "put"\n'


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (
            VECTOR + 'effect = "keep result in receiver"\n',
            8,
            "`keep result in receiver` is not an effect of Python; did you ",
        ),
        (VECTOR + 'effect = "spawn argument 1"\n', 8, "`spawn argument 1` is not an effect of Python; "),
        (
            VECTOR + 'effect = ["may fail",\n"insert argument 1 in receiver"]\n',
            9,
            "`insert argument 1 in receiver` is not",
        ),
        (
            VECTOR + 'effect = "keep argument 1 in result"\n',
            8,
            "`keep argument 1 in result`: a method keeps its argument in its rec",
        ),
        (
            VECTOR + 'kind = "static"\neffect = "keep argument 1 in receiver"\n',
            9,
            "`keep argument 1 in receiver`: a function or static method has no receiver",
        ),
        (
            LIBRARY + '[[python.function]]\nname = "mylib.put"\neffect = "keep argument 1 in receiver"\n',
            5,
            "`keep argument 1 in receiver`: a function or static method has no receiver",
        ),
        (VECTOR + 'effect = "may fail"\ncounted = true\n', 9, "`counted` says how something is kept: it requires"),
    ],
)
def test_an_effect_that_would_do_nothing_in_python_is_a_mistake(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    with pytest.raises(ModelError) as error:
        read(tmp_path, text)
    assert (error.value.line, error.value.message[: len(message)]) == (line, message)


@pytest.mark.parametrize(
    ("kind", "effect"),
    [
        ("method", "keep argument 2 in receiver"),
        ("method", "keep argument 2 in argument 1"),
        ("constructor", "keep argument 1 in result"),
        ("constructor", "keep argument 1 in receiver"),
        ("classmethod", "keep argument 1 in result"),
    ],
)
def test_a_python_member_may_keep_arguments(tmp_path: Path, kind: str, effect: str) -> None:
    found = read(tmp_path, f'{VECTOR}kind = "{kind}"\neffect = "{effect}"\n').python_member("mylib.Vector", "put")
    assert found is not None
    assert [str(each) for each in found.effects] == [effect]


def test_without_anchors_a_file_is_read_that_names_the_package(tmp_path: Path) -> None:
    text = (
        '[library]\nname = "mine"\nlanguages = "python"\n'
        '[[python.module]]\nname = "mylib.core"\naliases = ["otherlib.core"]\n'
        '[[python.class]]\nname = "mylib.Vector"\nrole = "owner"\n'
    )
    anchors = read(tmp_path, text).vocabulary().anchors
    assert {Anchor(r"\bmylib\b"), Anchor(r"\botherlib\b")} <= set(anchors)


# --- all together -----------------------------------------------------------------------------------


def test_the_later_file_wins(tmp_path: Path) -> None:
    models = read(
        tmp_path,
        LIBRARY
        + '[[function]]\nname = "PyList_GetItem"\neffect = "own result"\n[[macro]]\nname = "LOG"\nrole = "check"\n',
    )
    assert models.function("PyList_GetItem")[0].library == "mine"
    found = models.macro("LOG")
    assert found is not None
    assert found.role == "check"


def test_the_vocabulary_is_made_of_whole_expressions(models: Models) -> None:
    vocabulary = models.vocabulary()
    for patterns in (vocabulary.annotations, vocabulary.declaring, vocabulary.asserting):
        assert patterns
        assert all(re.compile(pattern) for pattern in patterns)
    assert [framework.name for framework in vocabulary.frameworks] == sorted(models.frameworks)
    assert {"pybind11", "nanobind", "boost_python"} <= set(models.frameworks)


def test_the_digest_follows_the_text(tmp_path: Path) -> None:
    first, second = read(tmp_path, LIBRARY), read(tmp_path, LIBRARY + "# a comment\n")
    assert first.digest != second.digest
    assert first.digest == read(tmp_path, LIBRARY).digest


def test_every_model_says_where_its_facts_come_from() -> None:
    for file in sorted(BUILT_IN.glob("*.toml")):
        assert re.search(r'^source = "', file.read_text(), re.MULTILINE), file.name


def test_what_takes_a_lock_names_what_lets_it_go() -> None:
    for file in sorted(BUILT_IN.glob("*.toml")):
        for function in tomllib.loads(file.read_text()).get("function", ()):
            effects = function["effect"] if isinstance(function["effect"], list) else [function["effect"]]
            if any(effect.startswith("hold ") for effect in effects):
                assert "released_by" in function, (file.name, function)


def test_loading_is_quick() -> None:
    start = time.process_time()
    load([BUILT_IN])
    assert time.process_time() - start < 1.0


def test_types_are_taken_apart() -> None:
    assert spelling("const std::map<K, std::pair<A, B>>&").parts == ("std", "map")
    assert spelling("const std::map<K, std::pair<A, B>>&").template == "K, std::pair<A, B>"
    assert spelling("std::__cxx11::basic_string<char>").parts == ("std", "basic_string")
    assert spelling("struct Foo *").pointer


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('[[parity]]\nwords = ["cuda"]\n', r"m\.toml:4: .*at least two alternative words"),
        ('[[parity]]\nwords = ["cuda", "a/b"]\n', r"m\.toml:4: .*`a/b` is not a word"),
        ('[[parity]]\nword = ["cuda", "hip"]\n', r"m\.toml:\d+: "),
    ],
)
def test_words_of_backends_are_read_strictly(tmp_path: Path, written: str, said: str) -> None:
    (tmp_path / "m.toml").write_text(f'[library]\nname = "x"\n{written}')
    with pytest.raises(ModelError, match=said):
        load([tmp_path / "m.toml"])


def test_words_of_backends(tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text('[library]\nname = "x"\n[[parity]]\nwords = ["left", "right"]\n')
    assert load([tmp_path / "m.toml"]).parity == (("left", "right"),)


@pytest.mark.parametrize(
    ("packages", "name"),
    [
        ({"jaxlib": "0.7.2"}, "A"),
        ({"jaxlib": "0.8.0"}, "B"),
        ({"jaxlib": "0.10.2.dev3"}, "B"),
        ({"iree-base-compiler": "3.13"}, "B"),
        ({"iree-base-compiler": "3.9"}, None),
        ({"jaxlib": ""}, None),
        ({}, None),
    ],
)
def test_versions_of_packages_say_how_a_library_behaves(
    models: Models, packages: dict[str, str], name: str | None
) -> None:
    version = models.version_at("mlir_python", packages)
    assert (version.name if version is not None else None) == name
