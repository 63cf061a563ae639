"""Settings looked at for their own sake: are they sound, and what may stand in them."""

from __future__ import annotations

import ast
import itertools
from pathlib import Path
from typing import Any

import msgspec

from ownlint import config, inputs, pipeline
from ownlint.config import Config, ConfigError, Settings
from ownlint.facts.cache import Cache
from ownlint.outline import Libraries

SCHEMA = "https://json-schema.org/draft/2020-12/schema"


def verify(settings: Settings, root: Path) -> None:
    """Raises a `RefusalError` on the first thing in them that a check would refuse."""
    pipeline.check_names(settings)
    Libraries(inputs.model_paths(root, settings), Cache(None)).models.digest  # noqa: B018 - reads them
    pipeline.contracts_of(inputs.contract_paths(root, settings))
    named = settings.config.build_path
    if named is not None and not (root / named).exists():
        place = config.place_of(settings, "build-path", named)
        raise ConfigError(f"{place}: `build-path`: `{named}`: no such file or folder")


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
