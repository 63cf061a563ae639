from collections import OrderedDict

import jax
import jax.numpy as jnp


def _free(tree):
    for leaf in jax.tree_util.tree_leaves(tree):
        if not leaf.is_deleted():
            leaf.delete()


class WeightCache:
    """Keeps the low-rank adapters of a few tenants on the accelerator."""

    def __init__(self, base, loader, slots=4):
        self._base = base
        self._loader = loader
        self._slots = slots
        self._live = OrderedDict()

    def _evict(self, keep=0):
        while len(self._live) > keep:
            _tenant, delta = self._live.popitem(last=False)
            _free(delta)

    @staticmethod
    def _merge(base, delta):
        merged = dict(base)
        for name, (down, up) in delta.items():
            merged[name] = base[name] + jnp.matmul(down, up)
        return merged

    def _load(self, tenant):
        host = self._loader(tenant)
        return {k: (jnp.asarray(d), jnp.asarray(u)) for k, (d, u) in host.items()}

    def weights(self, tenant):
        delta = self._live.get(tenant)
        if delta is None:
            self._evict(keep=self._slots - 1)
            delta = self._load(tenant)
        self._live[tenant] = delta
        self._live.move_to_end(tenant)
        return self._merge(self._base, delta)

    def swap_in(self, tenant, base):
        """Use another base model, and forget all adapters but one."""
        delta = self._live.pop(tenant, None)
        self._evict()
        if delta is None:
            delta = self._load(tenant)
        self._base = base
        self._live[tenant] = delta
        return self._merge(base, delta)
