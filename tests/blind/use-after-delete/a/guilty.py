"""Render large fractals tile by tile without keeping tiles on the device."""
import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def escape_time(c):
    def body(_, state):
        z, count = state
        alive = jnp.abs(z) <= 2.0
        z = jnp.where(alive, z * z + c, z)
        return z, count + alive

    start = (jnp.zeros_like(c), jnp.zeros(c.shape, jnp.int32))
    _, count = jax.lax.fori_loop(0, 256, body, start)
    return count


def grid(x0, y0, span, size):
    axis = np.linspace(0.0, span, size, endpoint=False)
    return jnp.asarray((x0 + axis)[None, :] + 1j * (y0 + axis)[:, None])


def render_tiles(corners, span, size):
    image = []
    peak = 0.0
    for x0, y0 in corners:
        c = grid(x0, y0, span, size)
        tile = escape_time(c)
        image.append(np.array(tile))
        c.delete()
        tile.delete()
        peak = max(peak, float(tile.max()))
    return image, peak


def to_bytes(image, peak):
    scale = 255.0 / max(peak, 1.0)
    return [(scale * tile).astype(np.uint8).tobytes() for tile in image]
