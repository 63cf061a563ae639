"""Tables that were written otherwise before: they mean what they meant, and somebody is told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ownlint.models.libraries import Models, load
from ownlint.models.tables import ModelError

LIBRARY = '[library]\nname = "mine"\nlanguages = "python"\n'

FORMER = """
[[memory.type]]
module = "m"
names = ["Block", "Inner.Block"]
known_as = ["the_block"]

[[memory.type]]
module = "m"
name = "_Number"
role = "address"
bases = ["Block"]

[[memory.function]]
module = "m"
names = ["zeros", "random.*"]
returns = "_Number"
keeps = "own"
may_return = "argument 1"

[[memory.function]]
module = "m"
name = "look"
note = "during the call"

[[memory.function]]
on = ["m.Block", "_Number"]
name = "address"
returns = "_Number"
keeps = "none"

[[memory.function]]
on = "m.Block"
name = "wrap"
returns = "self"
from = "argument 1"
keeps = "none"
kept = "argument 3"
parameters = ["a", "b", "c"]
at_address = true

[[memory.function]]
on = "m.Block"
name = "array_of"
returns = "m.Block"
makes_class = true

[[memory.function]]
on = "m.Block"
names = ["grow"]
keeps = "copy"

[[memory.function]]
on = "m.Block"
name = "hand_over"
consumes = "argument 1"
fills = "argument 2"
stores = "argument 3"
may_return = "self"

[[memory.callbacks]]
kept_by = ["hook"]

[[python.consumer]]
name = "m.fast"
positions = "eats"
keywords = false

[[python.consumer]]
name = "m.put"
when = "eat"
"""

TODAY = """
[[python.class]]
module = "m"
names = ["Block", "Inner.Block"]
memory = "owner"
known_as = ["the_block"]

[[python.class]]
module = "m"
name = "_Number"
memory = "address"
bases = ["Block"]

[[python.function]]
module = "m"
names = ["zeros", "random.*"]
returns = "_Number"
effect = "returns argument 1"
keeps = "own"

[[python.function]]
module = "m"
name = "look"
keeps = "copy"
note = "during the call"

[[python.member]]
on = ["m.Block", "_Number"]
name = "address"
returns = "_Number"
borrows = "self"
keeps = "none"

[[python.member]]
on = "m.Block"
name = "wrap"
returns = "self"
borrows = "argument 1"
keeps = "none"
effect = "keep argument 3 in result"
counted = true
parameters = ["a", "b", "c"]
at_address = true

[[python.member]]
on = "m.Block"
name = "array_of"
returns = "m.Block"
makes_class = true

[[python.member]]
on = "m.Block"
name = "grow"
keeps = "copy"

[[python.member]]
on = "m.Block"
name = "hand_over"
effect = ["adopt argument 1", "restore argument 2", "keep argument 3 in receiver", "returns receiver"]

[[python.callbacks]]
kept_by = ["hook"]

[[python.function]]
name = "m.fast"
effect = "invalidate arguments deep"
positions = "eats"
keywords = false

[[python.function]]
name = "m.put"
when = "eat=True"
effect = "invalidate argument 1 deep"
"""


def read(folder: Path, text: str) -> Models:
    file = folder / "mine.toml"
    file.write_text(LIBRARY + text)
    return load([file])


def test_former_tables_mean_what_those_of_today_mean(tmp_path: Path) -> None:
    storage = '[[python.storage]]\ntypes = "m.Image"\n'
    former, today = read(tmp_path, FORMER + storage), read(tmp_path, TODAY + storage)
    names = ("address", "wrap", "array_of", "grow", "hand_over")
    functions = ("m.zeros", "m.random.normal", "m.look", "m.fast", "m.put")
    assert former.memory.types == today.memory.types
    for name in names:
        assert former.memory.member("m.Block", name) == today.memory.member("m.Block", name) is not None
    for name in functions:
        assert former.memory.function(name) == today.memory.function(name)
    assert former.memory.kept_by == today.memory.kept_by == {"hook"}
    assert former.consuming.consumers == today.consuming.consumers
    assert [*today.memory.types] == ["m.Block", "m.Inner.Block", "m._Number"]
    assert [*today.consuming.consumers] == ["m.fast", "m.put"]


def test_the_first_former_table_of_a_file_is_told_of(tmp_path: Path) -> None:
    assert read(tmp_path, TODAY[: TODAY.index('[[python.function]]\nname = "m.put"')]).former == ()
    (line,) = read(tmp_path, FORMER).former
    assert line == (
        f"{tmp_path / 'mine.toml'}:5: `[[memory.type]]` was replaced by `[[python.class]]` with `memory`; this "
        "is the last version that reads it"
    )
    (line,) = read(tmp_path, FORMER[FORMER.index("[[python.consumer]]") :]).former
    assert line.startswith(
        f"{tmp_path / 'mine.toml'}:4: `[[python.consumer]]` was replaced by `[[python.function]]` with "
    )


def test_one_class_may_be_described_for_memory_in_the_former_way_and_for_handles(tmp_path: Path) -> None:
    handle = '[[python.class]]\nname = "m.Block"\nrole = "owner"\ntold_by = "one"\n'
    memory = '[[memory.type]]\nname = "m.Block"\nrole = "struct"\ntold_by = "two"\n'
    for text in (handle + memory, memory + handle):
        models = read(tmp_path, text)
        known = models.python_class("m.Block")
        assert known is not None
        assert (known.role, known.memory, known.told_by) == ("owner", "struct", ("one", "two"))
        assert models.memory.role("m.Block") == "struct"


def test_a_former_function_is_about_memory_in_a_file_of_handles_too(tmp_path: Path) -> None:
    models = read(
        tmp_path,
        '[[python.class]]\nname = "m.Handle"\n[[memory.function]]\nname = "m.take"\nconsumes = "argument 1"\n',
    )
    found = models.memory.function("m.take")
    assert found is not None
    assert found.consumes == 1
    models = read(
        tmp_path,
        '[[python.class]]\nname = "m.Handle"\n[[python.consumer]]\nname = "m.put"\nwhen = "eat"\n',
    )
    assert [*models.consuming.consumers] == ["m.put"]


BLOCK = LIBRARY + '[[memory.type]]\nname = "Block"\nmodule = "m"\n'
FUNCTION = BLOCK + '[[memory.function]]\nname = "m.f"\n'


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (LIBRARY + '[[memory.typ]]\nname = "m.C"\n', 4, "no key `typ`; did you mean `type`?"),
        (LIBRARY + '[memory.type]\nname = "m.C"\n', 4, "write `[[memory.type]]` with double brackets"),
        (LIBRARY + "[[memory.type]]\n", 4, "`memory.type` needs either `name` or `names`"),
        (LIBRARY + '[[memory.type]]\nname = "m.C"\nrole = "onwer"\n', 6, "`role` cannot be `onwer`; did you mean"),
        (LIBRARY + '[[memory.type]]\nname = "m.C"\nroles = "owner"\n', 6, "no key `roles`; did you mean `role`?"),
        (LIBRARY + '[[memory.type]]\nname = "m.C"\ntold_by = 3\n', 6, "`told_by` must be"),
        (BLOCK + "[[memory.function]]\n", 7, "`memory.function` needs either `name` or `names`"),
        (FUNCTION + 'returns = "Blok"\n', 9, "`returns` names `Blok`, which is not"),
        (BLOCK + '[[memory.function]]\non = "Blok"\nname = "f"\n', 8, "`on` names `Blok`, which is not"),
        (FUNCTION + 'keeps = "all"\n', 9, "`keeps` cannot be `all`; it is one of"),
        (FUNCTION + 'from = "argument 0"\n', 9, "`from` cannot be `argument 0`; it is `self` or `argument 1`"),
        (FUNCTION + 'kept = "the first"\n', 9, "`kept` cannot be `the first`"),
        (FUNCTION + 'consumes = "2"\n', 9, "`consumes` cannot be `2`"),
        (FUNCTION + "fills = 2\n", 9, "`fills` must be a string"),
        (FUNCTION + 'may_return = "it"\n', 9, "`may_return` cannot be `it`"),
        (FUNCTION + 'makes_class = "yes"\n', 9, "`makes_class` must be true or false"),
        (FUNCTION + 'kept = "argument 1"\nstores = "argument 2"\n', 10, "`kept` and `stores` cannot be combined"),
        (FUNCTION + 'moved = "x=1"\n', 9, "`memory.function` has no key `moved`"),
        (LIBRARY + '[[memory.callbacks]]\nkeeps = ["set"]\n', 5, "no key `keeps`"),
        (LIBRARY + '[[python.consumer]]\nname = "m.f"\n', 4, "needs `positions` or `by_name`"),
    ],
)
def test_a_mistake_in_a_former_table_names_its_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(ModelError, match=re.escape(message)) as caught:
        load([tmp_path / "mine.toml"])
    assert caught.value.line == line
