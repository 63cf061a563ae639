"""Settings looked at for their own sake: are they sound, and what may stand in them."""

from __future__ import annotations

import ast
import functools
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from ownlint import baseline, config, inputs, pipeline
from ownlint.config import Config, Settings
from ownlint.facts.cache import Cache
from ownlint.facts.errors import RefusalError
from ownlint.models import contract_reader
from ownlint.outline import Libraries

SCHEMA = "https://json-schema.org/draft/2020-12/schema"


def mistakes(settings: Settings, root: Path) -> Iterator[str]:
    """A line for each thing in them that a check would refuse; of a model or contract its first mistake."""

    def with_models(*names: str) -> Settings:
        return msgspec.structs.replace(settings, config=msgspec.structs.replace(settings.config, models=names))

    yield from pipeline.name_mistakes(settings)
    yield from _refusal(lambda: inputs.contract_paths(root, with_models()))
    for name in settings.config.models:
        yield from _refusal(functools.partial(_read_models, root, with_models(name)))
    named = settings.config.build_path
    if named is not None and not (root / named).exists():
        place = config.place_of(settings, "build-path", named)
        yield f"{place}: `build-path`: `{named}`: no such file or folder"
    if (known := settings.config.baseline) is not None:
        try:
            baseline.read(root / known, root)
        except baseline.BaselineError as error:
            yield f"{config.place_of(settings, 'baseline', known)}: `baseline`: {error}"


def _refusal(read: Callable[[], object]) -> Iterator[str]:
    try:
        read()
    except RefusalError as error:
        yield str(error)


def _read_models(root: Path, settings: Settings) -> None:
    """Raises a `RefusalError` on the first mistake in the models and contracts that are named."""
    Libraries(inputs.own_models(root, settings), Cache(None)).models.digest  # noqa: B018 - reads them
    for path in inputs.own_contracts(root, settings):
        contract_reader.read(path)


def schema() -> dict[str, Any]:
    """JSON schema of `ownlint.toml`, and of the table `[tool.ownlint]`."""
    (made,), components = msgspec.json.schema_components([Config], ref_template="#/$defs/{name}")
    table = components.pop("Config", made)
    told = _descriptions()
    for field in msgspec.structs.fields(Config):
        about = table["properties"][field.encode_name]
        if text := told.get(field.name):
            about["description"] = text
    return {
        "$schema": SCHEMA,
        **table,
        "title": "Settings of ownlint",
        "description": " ".join((Config.__doc__ or "").split()),
        **({"$defs": components} if components else {}),
    }


def _descriptions() -> dict[str, str]:
    """The text below each field of `Config`."""
    tree = ast.parse(Path(config.__file__).read_text(encoding="utf-8"))
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == Config.__name__)
    found: dict[str, str] = {}
    for field, below in itertools.pairwise(body):
        match field, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                found[name] = " ".join(text.split())
    return found
