"""Heat flow through the wall of a furnace, on a regular grid."""

import functools

import jax
import jax.numpy as jnp


def _laplacian(field):
    padded = jnp.pad(field, 1, mode="edge")
    return (
        padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:]
        - 4.0 * field
    )


def _advance(field, source, *, diffusivity, dt):
    return field + dt * (diffusivity * _laplacian(field) + source)


class Furnace:
    def __init__(self, shape, diffusivity=0.1, dt=0.5, ambient=293.0):
        self.field = jnp.full(shape, ambient, dtype=jnp.float32)
        self.source = jnp.zeros(shape, dtype=jnp.float32)
        self._advance = jax.jit(
            functools.partial(_advance, diffusivity=diffusivity, dt=dt),
            donate_argnums=0,
        )

    def ignite(self, row, column, power):
        self.source = self.source.at[row, column].add(power)

    def run(self, steps):
        for _ in range(steps):
            self.field = self._advance(self.field, self.source)
        return self.field

    def settle(self, tolerance=1e-3, limit=10_000, every=50):
        """Runs until the field hardly changes; returns the number of steps."""
        done = 0
        while done < limit:
            earlier = jnp.copy(self.field)
            self.run(every)
            done += every
            change = jnp.max(jnp.abs(self.field - earlier))
            if change < tolerance:
                break
        return done

    def hottest(self):
        index = jnp.argmax(self.field)
        return jnp.unravel_index(index, self.field.shape)


def simulate(size=128):
    furnace = Furnace((size, size))
    furnace.ignite(size // 2, size // 2, 40.0)
    steps = furnace.settle()
    return steps, furnace.hottest()
