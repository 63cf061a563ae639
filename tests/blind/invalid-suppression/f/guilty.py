"""Selection of the compute backend from the environment."""
import importlib
import logging
import os
from dataclasses import dataclass
from typing import Callable

logger = logging.getLogger(__name__)

ENV_VARIABLE = "STENCIL_BACKEND"


@dataclass(frozen=True)
class Backend:
    name: str
    module: str
    priority: int
    is_usable: Callable[[], bool]


def _always():
    return True


def _has_gpu():
    torch = importlib.import_module("torch")
    return torch.cuda.is_available()


_BACKENDS = [
    Backend("numpy", "stencil.backends.np", 0, _always),
    Backend("jax", "stencil.backends.xla", 10, _always),
    Backend("triton", "stencil.backends.tri", 20, _has_gpu),
]


class NoBackend(LookupError):
    pass


def available_backends():
    """Names of the backends whose dependencies can be imported."""
    names = ["numpy"]
    try:
        import jax.numpy  # noqa: F401
    except ImportError as exc:
        logger.info("jax backend disabled: %s", exc)
    else:
        names.append("jax")
    try:
        import triton.language  # noqa: unused-import
    except ImportError as exc:
        logger.info("triton backend disabled: %s", exc)
    else:
        names.append("triton")
    return names


def _candidates():
    present = set(available_backends())
    return sorted(
        (backend for backend in _BACKENDS if backend.name in present),
        key=lambda backend: backend.priority,
        reverse=True,
    )


def select(name=None):
    wanted = name or os.environ.get(ENV_VARIABLE)
    for backend in _candidates():
        if wanted is not None and backend.name != wanted:
            continue
        if backend.is_usable():
            logger.debug("selected %s", backend.name)
            return importlib.import_module(backend.module)
    raise NoBackend(f"no usable backend (wanted {wanted or 'any'})")
