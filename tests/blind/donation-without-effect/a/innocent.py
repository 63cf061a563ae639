"""Training step for the weather emulator."""
import functools

import jax
import jax.numpy as jnp
import optax

from emulator.model import rollout


def loss_fn(params, batch):
    predicted = rollout(params, batch["initial"], steps=batch["target"].shape[1])
    weights = jnp.cos(jnp.deg2rad(batch["latitude"]))
    error = (predicted - batch["target"]) ** 2
    return jnp.mean(error * weights[None, None, :, None])


def make_update(optimizer):
    @functools.partial(jax.jit, donate_argnums=(2,))
    def update(params, batch, opt_state):
        loss, grads = jax.value_and_grad(loss_fn)(params, batch)
        deltas, opt_state = optimizer.update(grads, opt_state, params)
        return optax.apply_updates(params, deltas), opt_state, loss

    return update


def train(params, batches, learning_rate=3e-4):
    optimizer = optax.adamw(learning_rate)
    update = make_update(optimizer)
    opt_state = optimizer.init(params)
    history = []
    for batch in batches:
        params, opt_state, loss = update(params, batch, opt_state)
        history.append(loss)
    return params, [float(x) for x in history]
