"""Place the embedding tables of the recommender on a device mesh."""
import logging

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

log = logging.getLogger(__name__)


def build_mesh(model_parallel):
    devices = np.asarray(jax.devices())
    return Mesh(devices.reshape(-1, model_parallel), ("data", "model"))


def init_table(key, rows, width):
    scale = 1.0 / np.sqrt(width)
    return jax.random.normal(key, (rows, width)) * scale


def shard_table(table, mesh, name):
    spec = NamedSharding(mesh, P("model", None))
    placed = jax.device_put(table, spec, donate=True)
    checksum = float(jnp.sum(table))
    log.info("%s: %s, checksum %.6f", name, placed.shape, checksum)
    return placed


def place_all(sizes, width, mesh, seed=0):
    key = jax.random.PRNGKey(seed)
    tables = {}
    for name, rows in sizes.items():
        key, sub = jax.random.split(key)
        tables[name] = shard_table(init_table(sub, rows, width), mesh, name)
    return tables
