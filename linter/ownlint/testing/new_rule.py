"""Writes a rule that runs, and the page that tests it, to be changed into a real one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ownlint import door, toml
from ownlint.choices import PACKS

DRAFTS = "drafts"
"""Where a new rule stands until somebody moves it to the folder of its effect."""

_MOST_BYTES = 1 << 20
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")


def create(name: str, root: Path, folder: str = DRAFTS) -> tuple[Path, ...]:
    """Writes the files of the rule `name` into the pack that `root/pyproject.toml` declares, and returns them.

    Raises `ValueError` for a bad name or a project without a pack, `FileExistsError` before anything is written.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"`{name}` is not a valid rule name: use words joined by dashes that say what is wrong")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", folder):
        raise ValueError(f"`{folder}` is not a valid folder name for rules")
    pack = pack_of(root)
    words = name.replace("-", "_")
    for taken in sorted(pack.rglob(f"{words}.py")):
        raise FileExistsError(f"{taken} exists: rule names are unique")
    texts = {
        pack / folder / f"{words}.py": _RULE.replace("RULE_NAME", words),
        root / "tests" / "rules" / f"{name}.md": _PAGE.replace("RULE-NAME", name),
    }
    for path in texts:
        if path.exists():
            raise FileExistsError(f"{path} exists")
    if not (pack / folder / "__init__.py").exists():
        texts = {pack / folder / "__init__.py": "", **texts}
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as stream:  # not through broken symlink yet
            stream.write(text)
    return tuple(texts)


def pack_of(root: Path) -> Path:
    """The folder of the rule pack that the project declares as an entry point."""
    project = root / "pyproject.toml"
    try:
        declared = toml.parse(door.read(project, _MOST_BYTES).decode("utf-8", "replace"))
    except door.UnreadableError as error:
        if error.missing:
            raise ValueError(f"{root} has no pyproject.toml: rules belong to a package") from None
        raise ValueError(f"{project}: {error.reason}") from None
    except toml.TomlError as error:
        raise ValueError(f"{project}:{error.line}: {error.message}") from None
    points = declared.get("project", {}).get("entry-points", {}).get(PACKS, {})
    for module in points.values():
        for place in _places(root, str(module)):
            if (place / "__init__.py").is_file():
                return place
    raise ValueError(f'{project} declares no rule pack: add [project.entry-points."{PACKS}"]')


def _places(root: Path, module: str) -> Iterator[Path]:
    """Where the package can stand: at the top, or below a source root."""
    inside = Path(*module.split("."))
    yield root / inside
    yield from (folder / inside for folder in sorted(root.iterdir()) if folder.is_dir())


_RULE = '''"""`replace_me` is called where it does harm.

The first line is the headline: one sentence in the present tense that says what is wrong.

## What it reports

- every call of `replace_me`; list the shapes that are reported

## Why it is a bug

Say in one paragraph what goes wrong when the program runs, and who notices.

## Example

bad:

```cpp
void Run() { replace_me(); }
```

```text
case.cc:1: warning: `Run` calls `replace_me`
  help: call `keep_me` instead
```

good:

```cpp
void Run() { keep_me(); }
```

## How to fix it

Call `keep_me` instead. Write the code that is to be there.

## What it does not report

- mentions that call nothing; list the innocent shapes, with the reason
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, places, rule


@rule(severity="warning", languages=("cpp", "python"), anchors=(r"\\breplace_me\\b",))
def RULE_NAME(function: Function) -> Iterator[Finding]:
    if not function.mentions("replace_me"):
        return
    for call in function.flow.calls:
        if places.last_name(call.node.callee) == "replace_me":
            yield function.finding(call, f"`{function.name}` calls `replace_me`", help="call `keep_me` instead")
'''

_PAGE = """# RULE-NAME

Each heading makes a claim; `error`, `warning` or `note` stands on the guilty line, `ok` on its innocent twin, with
the reason. `docs/testing.md` explains the page.

## A call is reported wherever it stands

```cpp
void Run(Engine& engine) {
  replace_me();  // warning: `Run` calls `replace_me`
  engine.replace_me();  // warning: calls `replace_me`
  if (replace_me() > 0) {  // warning: calls `replace_me`
    Stop(replace_me(1));  // warning: calls `replace_me`
  }
  keep_me();  // ok: another function
}
```

## Python calls are reported too

Python is read where its text fits an anchor: of a model, or of the rule.

```python
def run(engine):
    for part in engine.parts:
        part.replace_me()  # warning: `run` calls `replace_me`
    return [engine.keep_me()]  # ok: another method
```

## Other names are innocent

```cpp
void replace_me();  // ok: a declaration calls nothing

void Run(Engine& engine) {
  dont_replace_me();  // ok: the name only ends like it
  replace_me_later();  // ok: the name only starts like it
  Log("replace_me()");  // ok: words in a string
  Callback later = &replace_me;  // ok: the function is named, not called
  engine.replace_me = later;  // ok: a member of that name is written
}
```

```python
def run(engine):
    later = engine.replace_me  # ok: the method is named, not called
    return later
```
"""
