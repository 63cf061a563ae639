import torch
import torch.nn.functional as F
from torch import nn


def release(tensor):
    storage = tensor.untyped_storage()
    if storage.size() > 0:
        storage.resize_(0)


def restore(tensor, source):
    storage = tensor.untyped_storage()
    needed = tensor.numel() * tensor.element_size()
    if storage.size() != needed:
        storage.resize_(needed)
    tensor.copy_(source, non_blocking=True)


class OffloadedLayer(nn.Module):
    """A linear layer for inference whose weight sleeps on the host."""

    def __init__(self, inner, device, track=False):
        super().__init__()
        self.host = inner.weight.detach().cpu().pin_memory()
        self.bias = None
        if inner.bias is not None:
            self.bias = inner.bias.detach().to(device)
        self.weight = torch.empty_like(self.host, device=device)
        release(self.weight)
        self.track = track
        self.last_mean = None

    @torch.no_grad()
    def forward(self, x):
        restore(self.weight, self.host)
        snapshot = self.weight.detach()
        y = F.linear(x, self.weight, self.bias)
        release(self.weight)
        if self.track:
            self.last_mean = snapshot.mean()
        return y


def offload(model, device, track=False):
    for name, child in model.named_children():
        if isinstance(child, nn.Linear):
            setattr(model, name, OffloadedLayer(child, device, track))
        else:
            offload(child, device, track)
    return model
