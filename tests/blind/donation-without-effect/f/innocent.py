"""Streaming metrics that stay on the device between steps."""

import dataclasses
import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, donate_argnums=(0,))
def _accumulate(acc, values, weight):
    """Adds one batch of per-example values to the running sum."""
    return acc + weight * values.astype(acc.dtype)


@jax.jit
def _mean_of(acc, count):
    return jnp.sum(acc) / (count * acc.size)


@functools.partial(jax.jit, donate_argnums=(0, 1))
def _decay(acc, count, rate):
    return acc * rate, count * rate


@dataclasses.dataclass
class RunningMetric:
    """A weighted mean over all batches since the last reset."""

    name: str
    width: int
    acc: jax.Array = None
    count: jax.Array = None

    def __post_init__(self):
        self.reset()

    def reset(self):
        self.acc = jnp.zeros((self.width,), jnp.float32)
        self.count = jnp.zeros((), jnp.float32)

    def update(self, values, weight=1.0):
        values = jnp.asarray(values)
        if values.shape != (self.width,):
            raise ValueError(
                f"{self.name}: expected shape {(self.width,)}, got {values.shape}"
            )
        self.acc = _accumulate(self.acc, values, weight)
        self.count = self.count + weight

    def forget(self, rate):
        self.acc, self.count = _decay(self.acc, self.count, rate)

    def compute(self):
        """Returns the mean and starts over."""
        mean = _mean_of(self.acc, self.count)
        self.reset()
        return float(mean)


def compute_all(metrics):
    return {metric.name: metric.compute() for metric in metrics}
