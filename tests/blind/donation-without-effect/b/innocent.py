"""Parallel tempering over the local devices."""
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Chains(NamedTuple):
    spins: jax.Array
    energy: jax.Array


def energy_of(spins):
    right = jnp.roll(spins, 1, axis=-1)
    down = jnp.roll(spins, 1, axis=-2)
    return -jnp.sum(spins * (right + down), axis=(-1, -2))


def sweep(key, beta, chains):
    flip_key, accept_key = jax.random.split(key)
    flips = jax.random.bernoulli(flip_key, 0.01, chains.spins.shape)
    proposal = jnp.where(flips, -chains.spins, chains.spins)
    proposed = energy_of(proposal)
    log_u = jnp.log(jax.random.uniform(accept_key, proposed.shape))
    take = log_u < beta * (chains.energy - proposed)
    return Chains(
        jnp.where(take[:, None, None], proposal, chains.spins),
        jnp.where(take, proposed, chains.energy),
    )


class Sampler:
    def __init__(self, betas, side, per_device, seed=0):
        self.devices = jax.local_device_count()
        self.betas = jnp.asarray(betas).reshape(self.devices)
        key = jax.random.PRNGKey(seed)
        self._key, init = jax.random.split(key)
        shape = (self.devices, per_device, side, side)
        spins = jnp.where(jax.random.bernoulli(init, 0.5, shape), 1.0, -1.0)
        self.chains = Chains(spins, energy_of(spins))
        self._kernel = jax.pmap(sweep, donate_argnums=(2,))

    def run(self, sweeps):
        trace = []
        for _ in range(sweeps):
            self._key, sub = jax.random.split(self._key)
            keys = jax.random.split(sub, self.devices)
            self.chains = self._kernel(keys, self.betas, self.chains)
            trace.append(float(self.chains.energy.mean()))
        return trace
