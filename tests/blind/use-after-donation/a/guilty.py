"""Leapfrog integration of a star cluster."""
import functools

import jax
import jax.numpy as jnp

SOFTENING = 1e-2


def accelerations(pos, mass):
    delta = pos[None, :, :] - pos[:, None, :]
    inv = (jnp.sum(delta**2, axis=-1) + SOFTENING**2) ** -1.5
    return jnp.einsum("ijk,ij,j->ik", delta, inv, mass)


def energy(state):
    pos, vel, mass = state
    kinetic = 0.5 * jnp.sum(mass * jnp.sum(vel**2, axis=-1))
    delta = pos[None, :, :] - pos[:, None, :]
    dist = jnp.sqrt(jnp.sum(delta**2, axis=-1) + SOFTENING**2)
    pair = jnp.triu(mass[:, None] * mass[None, :] / dist, k=1)
    return kinetic - jnp.sum(pair)


@functools.partial(jax.jit, donate_argnums=0)
def step(state, dt):
    pos, vel, mass = state
    vel = vel + 0.5 * dt * accelerations(pos, mass)
    pos = pos + dt * vel
    vel = vel + 0.5 * dt * accelerations(pos, mass)
    return pos, vel, mass


def simulate(state, dt, steps, tolerance=1e-2):
    initial = float(energy(state))
    for i in range(steps):
        after = step(state, dt)
        if i % 100 == 0:
            drift = float(jnp.abs(energy(state) - initial))
            if drift > tolerance * abs(initial):
                raise FloatingPointError(f"energy drifts by {drift} at step {i}")
        state = after
    return state
