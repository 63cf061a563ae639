import jax
import jax.numpy as jnp


def _move(tree, device):
    return jax.tree_util.tree_map(
        lambda leaf: jax.device_put(leaf, device, donate=True), tree
    )


def _copy(tree):
    return jax.tree_util.tree_map(jnp.copy, tree)


class Ensemble:
    """Members of a population, spread over the devices by their cost."""

    def __init__(self, members, costs):
        if len(members) != len(costs):
            raise ValueError("one cost per member")
        self.members = list(members)
        self.costs = list(costs)
        self.best = None

    def assignment(self, devices):
        load = {d: 0.0 for d in devices}
        target = [None] * len(self.members)
        for i in sorted(range(len(self.members)), key=lambda i: -self.costs[i]):
            lightest = min(load, key=load.get)
            load[lightest] += self.costs[i]
            target[i] = lightest
        return target

    def rebalance(self, scores, devices=None):
        """Move every member to its device and remember the best one."""
        devices = jax.devices() if devices is None else devices
        placed = [
            _move(member, device)
            for member, device in zip(self.members, self.assignment(devices))
        ]
        winner = max(range(len(scores)), key=scores.__getitem__)
        self.best = _copy(self.members[winner])
        self.members = placed
        return winner

    def mean(self):
        host = [jax.device_get(m) for m in self.members]
        return jax.tree_util.tree_map(lambda *xs: sum(xs) / len(xs), *host)
