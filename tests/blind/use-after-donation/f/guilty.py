"""Small supervised trainer used by the regression benchmarks."""
import functools
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp


def init_params(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    return [
        {
            "w": jax.random.normal(k, (n_in, n_out)) / jnp.sqrt(n_in),
            "b": jnp.zeros((n_out,)),
        }
        for k, n_in, n_out in zip(keys, sizes[:-1], sizes[1:])
    ]


def predict(params, x):
    for layer in params[:-1]:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    last = params[-1]
    return x @ last["w"] + last["b"]


def loss_fn(params, batch):
    x, y = batch
    return jnp.mean((predict(params, x) - y) ** 2)


@jax.jit
def global_norm(tree):
    return jnp.sqrt(sum(jnp.vdot(leaf, leaf) for leaf in jax.tree.leaves(tree)))


@functools.partial(jax.jit, static_argnames=("rate", "decay"), donate_argnums=(0, 1))
def sgd_update(params, velocity, batch, *, rate, decay):
    loss, grads = jax.value_and_grad(loss_fn)(params, batch)
    velocity = jax.tree.map(lambda v, g: decay * v + g, velocity, grads)
    params = jax.tree.map(lambda p, v: p - rate * v, params, velocity)
    return params, velocity, loss


@dataclass
class Trainer:
    params: Any
    rate: float = 1e-2
    decay: float = 0.9
    log_every: int = 50
    history: list = field(default_factory=list)

    def __post_init__(self):
        self.velocity = jax.tree.map(jnp.zeros_like, self.params)
        self.count = 0

    def step(self, batch):
        params, velocity, loss = sgd_update(
            self.params, self.velocity, batch, rate=self.rate, decay=self.decay
        )
        if self.count % self.log_every == 0:
            norm = global_norm(self.params)
            self.history.append((self.count, float(loss), float(norm)))
        self.params, self.velocity = params, velocity
        self.count += 1
        return loss


def fit(batches, sizes, seed=0, **options):
    trainer = Trainer(init_params(jax.random.key(seed), sizes), **options)
    for batch in batches:
        trainer.step(batch)
    return trainer
