"""Discovery of backend plugins, each a package with a ``register`` hook."""

import importlib
import importlib.metadata
import logging
from dataclasses import dataclass, field

try:
    import torch_npu  # noqa: F401
except ImportError:
    HAVE_NPU = False
else:
    HAVE_NPU = True

log = logging.getLogger(__name__)

ENTRY_POINT_GROUP = "tessera.backends"


class PluginError(RuntimeError):
    """A plugin was found, but cannot be used."""


@dataclass
class Plugin:
    name: str
    module: str
    options: dict = field(default_factory=dict)


@dataclass
class Backends:
    plugins: dict = field(default_factory=dict)
    failures: dict = field(default_factory=dict)

    def add(self, plugin):
        if plugin.name in self.plugins:
            raise PluginError(f"backend {plugin.name} is registered twice")
        self.plugins[plugin.name] = plugin

    def default(self):
        """The accelerator when there is one, else the first by name."""
        if HAVE_NPU and "npu" in self.plugins:
            return self.plugins["npu"]
        return self.plugins[min(self.plugins)] if self.plugins else None


def load_plugin(entry_point):
    """Imports one plugin, and lets it describe itself."""
    try:
        module = importlib.import_module(entry_point.module)
        options = module.register()
    except Exception as exc:  # noqa: E722
        raise PluginError(f"cannot load {entry_point.value}") from exc
    return Plugin(entry_point.name, entry_point.module, dict(options or {}))


def discover():
    """Loads all installed plugins; broken ones are only reported."""
    backends = Backends()
    for entry_point in importlib.metadata.entry_points(group=ENTRY_POINT_GROUP):
        try:
            backends.add(load_plugin(entry_point))
        except PluginError as exc:
            log.warning("%s: %s", entry_point.name, exc)
            backends.failures[entry_point.name] = exc
    return backends
