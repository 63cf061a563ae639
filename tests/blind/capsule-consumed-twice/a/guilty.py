"""Move frames of the capture pipeline (CuPy) to the model (torch)."""
import cupy as cp
import torch
import torch.utils.dlpack as tdl


def normalise(frame):
    frame = frame.astype(cp.float32)
    lo, hi = frame.min(), frame.max()
    return (frame - lo) / cp.maximum(hi - lo, 1e-6)


def to_model(frame):
    """Zero-copy view of a frame as an NCHW tensor."""
    chw = cp.ascontiguousarray(normalise(frame).transpose(2, 0, 1))
    tensor = tdl.from_dlpack(chw.toDlpack())
    return tensor.unsqueeze(0)


def mirror_statistics(frame, bins=64):
    """Mean, deviation and histogram of a normalised frame, on the torch side."""
    flat = normalise(frame).ravel()
    capsule = flat.toDlpack()

    moments = tdl.from_dlpack(capsule)
    mean = moments.mean()
    std = moments.std()

    histogram = tdl.from_dlpack(capsule)
    counts = torch.histc(histogram, bins=bins, min=0.0, max=1.0)
    return mean, std, counts / counts.sum()


def summarise(frames):
    rows = []
    for index, frame in enumerate(frames):
        mean, std, counts = mirror_statistics(frame)
        rows.append((index, float(mean), float(std), int(counts.argmax())))
    return rows
