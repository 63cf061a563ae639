"""What models say of raw memory and of storage that a call takes away: the records, and what a mistake looks like."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ownlint.models.consumers import ConsumerModel
from ownlint.models.libraries import Models, load
from ownlint.models.memory import MemoryFact
from ownlint.models.tables import ModelError

LIBRARY = '[library]\nname = "mine"\nlanguages = "python"\n'
BLOCK = LIBRARY + '[[python.class]]\nname = "Block"\nmodule = "m"\nmemory = "owner"\n'
MEMBER = BLOCK + '[[python.member]]\non = "Block"\nname = "f"\n'
FUNCTION = BLOCK + '[[python.function]]\nname = "m.f"\n'
HANDLE = LIBRARY + '[[python.class]]\nname = "m.Handle"\n[[python.member]]\non = "Handle"\nname = "f"\n'
STORAGE = LIBRARY + '[[python.storage]]\ntypes = "m.Image"\n[[python.function]]\nname = "m.f"\n'


def read(folder: Path, text: str) -> Models:
    file = folder / "mine.toml"
    file.write_text(text)
    return load([file])


# --- what is read ---------------------------------------------------------------------------------


def fact(on: str, name: str, **said: object) -> MemoryFact:
    return MemoryFact("mine", on, name, **said)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ('returns = "Block"\nkeeps = "own"', {"returns": "m.Block", "keeps": "own"}),
        ('returns = "self"\nborrows = "argument 2"\nkeeps = "none"', {"returns": "self", "keeps": "none", "source": 2}),
        ('returns = "Block"\nborrows = "self"\nkeeps = "owner"', {"returns": "m.Block", "keeps": "owner"}),
        (
            'returns = "Block"\nkeeps = "own"\neffect = "returns receiver"',
            {"returns": "m.Block", "keeps": "own", "may_return": -1},
        ),
        ('effect = "returns argument 3"', {"may_return": 3}),
        ('effect = "keep argument 3 in result"\ncounted = true', {"kept": 3}),
        ('effect = "keep argument 2 in receiver"', {"stores": 2}),
        ('effect = "keep argument 2 in receiver"\ncounted = true', {}),
        ('effect = "adopt argument 1"', {"consumes": 1}),
        ('effect = ["restore argument 1", "adopt argument 2"]', {"fills": 1, "consumes": 2}),
        ('returns = "Block"\nmakes_class = true', {"returns": "m.Block", "makes_class": True}),
        ('keeps = "copy"', {}),
    ],
)
def test_a_member_of_a_class_of_memory_is_a_fact_about_memory(
    tmp_path: Path, said: str, meant: dict[str, object]
) -> None:
    assert read(tmp_path, f"{MEMBER}{said}\n").memory.member("m.Block", "f") == fact("m.Block", "f", **meant)


def test_a_class_of_memory_is_no_handle_unless_it_has_a_role(tmp_path: Path) -> None:
    models = read(tmp_path, MEMBER + 'keeps = "copy"\n')
    assert models.memory.role("m.Block") == "owner"
    assert models.python_class("m.Block") is None
    both = read(tmp_path, MEMBER.replace("memory", 'role = "view"\nmemory') + 'effect = "validate receiver"\n')
    known = both.python_class("m.Block")
    assert known is not None
    assert (known.role, known.memory) == ("view", "owner")
    assert both.memory.member("m.Block", "f") == fact("m.Block", "f")
    assert both.python_member("m.Block", "f") is not None


def test_a_function_is_about_what_it_gives(tmp_path: Path) -> None:
    text = BLOCK + (
        '[[python.class]]\nname = "m.Handle"\n'
        '[[python.function]]\nmodule = "m"\nname = "block"\nreturns = "Block"\nkeeps = "own"\n'
        '[[python.function]]\nmodule = "m"\nname = "handle"\nreturns = "Handle"\nkeeps = "own"\n'
        '[[python.function]]\nmodule = "m"\nnames = ["look", "parts.*"]\nkeeps = "copy"\n'
    )
    models = read(tmp_path, text)
    names = ("m.block", "m.handle", "m.look", "m.parts.each")
    assert [models.memory.function(name) is not None for name in names] == [True, False, True, True]
    assert [models.python_function(name) is not None for name in names] == [False, True, True, True]


def test_a_file_without_classes_goes_on_where_another_leaves_off(tmp_path: Path) -> None:
    models = read(tmp_path, LIBRARY + '[[python.function]]\nname = "m.take"\neffect = "adopt argument 1"\n')
    assert models.memory.function("m.take") == fact("", "m.take", consumes=1)
    assert models.python_function("m.take") is not None


def test_a_module_is_put_in_front_of_names_that_have_none(tmp_path: Path) -> None:
    text = (
        '[[python.class]]\nmodule = "m"\nnames = ["Block", "Inner.Block", "m.Third"]\nmemory = "raw"\nbases = "Base"\n'
        '[[python.class]]\nmodule = "m"\nname = "Fourth"\nmemory = "raw"\nbases = "other.Base"\n'
    )
    types = read(tmp_path, LIBRARY + text).memory.types
    assert [*types] == ["m.Block", "m.Inner.Block", "m.Third", "m.Fourth"]
    assert (types["m.Third"].bases, types["m.Fourth"].bases) == (("m.Base",), ("other.Base",))


def test_habits_of_naming_say_how_long_a_callback_is_used(tmp_path: Path) -> None:
    habits = '[[python.callbacks]]\nkept_by = "hook"\nused_by = "*sort"\nended_by = "unhook"\n'
    memory = read(tmp_path, LIBRARY + habits).memory
    assert [memory.keeps_callback(name) for name in ("set_hook", "quickSort", "other")] == [True, False, None]
    assert memory.ends_callback("doUnhook")


def test_what_ends_a_handle_in_some_calls_takes_no_storage(tmp_path: Path) -> None:
    ending = '[[python.function]]\nname = "m.end"\nwhen = "force=True"\neffect = "invalidate argument 1 deep"\n'
    models = read(tmp_path, HANDLE + ending)
    assert not models.consuming.consumers
    assert models.python_function("m.end") is not None


def test_a_function_may_make_what_takes_storage_away_or_take_it_itself(tmp_path: Path) -> None:
    text = STORAGE + (
        'effect = "invalidate arguments deep"\npositions = "eats"\ninert = "look"\n'
        '[[python.function]]\nname = "m.put"\nwhen = "eat=True"\neffect = "invalidate argument 1 deep"\n'
    )
    models = read(tmp_path, text)
    assert models.consuming.consumers == {
        "m.f": ConsumerModel("m.f", "eats", inert=("look",)),
        "m.put": ConsumerModel("m.put", when=("eat", "True")),
    }
    assert models.consuming.keywords == {"eats", "eat"}
    assert models.python_function("m.f") is models.python_function("m.put") is None


# --- mistakes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (LIBRARY + '[[python.clas]]\nname = "m.C"\n', 4, "no key `clas`; did you mean `class`?"),
        (LIBRARY + "[[python.class]]\n", 4, "`python.class` needs either `name` or `names`"),
        (LIBRARY + '[[python.class]]\nname = "m.C"\nmemory = "onwer"\n', 6, "`memory` cannot be `onwer`; did you mean"),
        (LIBRARY + '[[python.class]]\nname = "m.C*"\nmemory = "owner"\n', 5, "`m.C*`: a class with `memory` needs"),
        (LIBRARY + '[[python.class]]\nname = "m.C"\nknown_as = "c"\n', 6, "`known_as` requires `memory`"),
        (
            LIBRARY + '[[python.class]]\nname = "m.C"\nmemory = "owner"\nunchecked = true\n',
            7,
            "`unchecked` requires `role`: it applies to handles",
        ),
        (BLOCK + 'told_by = 3\n', 8, "`told_by` must be"),
        (MEMBER, 8, 'needs `keeps` or `effect`; for a pointer used only during the call write `keeps = "copy"`'),
        (MEMBER + 'returns = "Blok"\n', 11, "`returns` names `Blok`, which is not a `[[python.class]]`; did you mean"),
        (MEMBER + 'keeps = "wrapper"\n', 11, "`keeps` cannot be `wrapper` for memory; it is one of"),
        (MEMBER + 'keeps = "none"\n', 11, '`keeps = "none"` needs `borrows`: what the result points into'),
        (MEMBER + 'borrows = "parent"\nkeeps = "none"\n', 11, "`borrows` cannot be `parent` for memory"),
        (MEMBER + 'borrows = "argument 0"\n', 11, "`borrows` cannot be `argument 0`"),
        (MEMBER + 'effect = "keep argument 1 in result"\n', 11, "what it keeps alive is `counted = true`"),
        (MEMBER + 'effect = "own result"\n', 11, "`own result` is not an effect of memory"),
        (MEMBER + 'effect = "adopt argument 1 in receiver"\n', 11, "not an effect of memory; did you mean `keep"),
        (MEMBER + 'effect = "adpot argument 1"\n', 11, "`adpot argument 1` is not an effect; did you mean `adopt arg"),
        (MEMBER + 'effect = "invalidate receiver deep"\n', 11, "is not an effect of memory"),
        (MEMBER + 'when = "a=1"\neffect = "adopt argument 1"\n', 11, "`when` applies to handles"),
        (MEMBER + 'effect = "adopt argument 1"\nspared_by = "x"\n', 12, "`spared_by` applies to handles, but no"),
        (MEMBER + 'makes_class = "yes"\n', 11, "`makes_class` must be true or false"),
        (FUNCTION + 'effect = "returns receiver"\n', 10, "`returns receiver`: a function or static method has no rec"),
        (FUNCTION + 'returns = "self"\nkeeps = "own"\n', 10, "`returns` names `self`, which is not a `[[python.class"),
        (HANDLE + 'returns = "self"\n', 9, "`returns` is `self`, which requires a class with `memory`"),
        (HANDLE + 'effect = "returns argument 1"\n', 9, "`returns argument 1` is not an effect of handles; did you "),
        (HANDLE + "at_address = true\n", 9, "`at_address` applies to memory, but no class here has `memory`"),
        (HANDLE + 'positions = "donate"\n', 9, "`python.member` has no key `positions`"),
        (STORAGE + 'effect = "invalidate arguments deep"\npostions = "eats"\n', 9, "did you mean `positions`?"),
        (STORAGE + 'effect = "invalidate argumnts deep"\npositions = "eats"\n', 8, "is not an effect"),
        (HANDLE + '[[python.function]]\nname = "m.f"\neffect = "invalidate receiver deep"\n', 11, "has no receiver"),
        (STORAGE, 6, "`python.function` needs `effect`"),
        (FUNCTION + 'keeps = "copy"\npositions = "eats"\n', 11, '`positions` requires `effect = "invalidate'),
        (STORAGE + 'effect = "invalidate arguments deep"\n', 8, "needs `positions` or `by_name`: the keyword that"),
        (STORAGE + 'effect = "invalidate argument 1 deep"\n', 8, "requires `when`: the keyword by which the call tak"),
        (STORAGE + 'effect = "adopt argument 1"\n', 8, "`adopt argument 1` is not an effect of storage that is taken"),
        (
            STORAGE + 'effect = "invalidate arguments deep"\npositions = "eats"\nkeeps = "copy"\n',
            10,
            "`keeps` applies to handles or memory, not to storage",
        ),
        (LIBRARY + '[[python.callbacks]]\nkeeps = ["set"]\n', 5, "no key `keeps`"),
        (LIBRARY + "[[python.callbacks]]\nkept_by = [1]\n", 5, "`kept_by` must be"),
    ],
)  # fmt: skip
def test_what_would_do_nothing_is_a_mistake_that_names_its_line(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    with pytest.raises(ModelError, match=re.escape(message)) as caught:
        read(tmp_path, text)
    assert caught.value.line == line
