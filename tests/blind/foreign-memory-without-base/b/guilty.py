"""Stage simulation fields through torch and hand them to CuPy kernels."""
import cupy as cp
import numpy as np
import torch

_TORCH_TO_NUMPY = {
    torch.float32: np.float32,
    torch.float64: np.float64,
    torch.int32: np.int32,
}


def _wrap(ptr, nbytes, shape, dtype, owner=None):
    mem = cp.cuda.UnownedMemory(ptr, nbytes, owner)
    return cp.ndarray(shape, dtype=dtype, memptr=cp.cuda.MemoryPointer(mem, 0))


def as_device_field(host_field, device, halo=1):
    """Padded copy of a host field on the device, as a CuPy array."""
    staged = torch.as_tensor(host_field).to(device)
    padded = torch.nn.functional.pad(staged[None, None], (halo,) * 4, mode="replicate")
    padded = padded[0, 0].contiguous()
    torch.cuda.current_stream(device).synchronize()
    return _wrap(
        padded.data_ptr(),
        padded.numel() * padded.element_size(),
        tuple(padded.shape),
        _TORCH_TO_NUMPY[padded.dtype],
    )


def laplacian(field):
    centre = field[1:-1, 1:-1]
    return (
        field[:-2, 1:-1]
        + field[2:, 1:-1]
        + field[1:-1, :-2]
        + field[1:-1, 2:]
        - 4 * centre
    )


def diffuse(host_field, device, rate, steps):
    field = as_device_field(host_field.astype(np.float32), device)
    for _ in range(steps):
        field[1:-1, 1:-1] += rate * laplacian(field)
    return cp.asnumpy(field[1:-1, 1:-1])
