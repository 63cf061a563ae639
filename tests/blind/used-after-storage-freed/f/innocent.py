"""Gather-on-demand parameters for a sharded data-parallel wrapper."""

import torch
import torch.distributed as dist
from torch import nn


def _release_storage(tensor):
    """Gives the memory of `tensor` back, but keeps its shape."""
    storage = tensor.untyped_storage()
    if storage.size() > 0:
        storage.resize_(0)


def _allocate_storage(tensor):
    nbytes = tensor.numel() * tensor.element_size()
    storage = tensor.untyped_storage()
    if storage.size() != nbytes:
        storage.resize_(nbytes)


class ShardedParam:
    """One parameter, of which every rank keeps only a flat shard."""

    def __init__(self, param, group):
        self.group = group
        self.world = dist.get_world_size(group)
        flat = param.detach().reshape(-1)
        pad = -flat.numel() % self.world
        self.numel = flat.numel()
        padded = nn.functional.pad(flat, (0, pad))
        rank = dist.get_rank(group)
        self.shard = padded.chunk(self.world)[rank].clone()
        self.full = torch.empty_like(padded)
        _release_storage(self.full)

    @torch.no_grad()
    def gather(self):
        _allocate_storage(self.full)
        dist.all_gather_into_tensor(self.full, self.shard, group=self.group)
        return self.full[: self.numel]

    def free(self):
        _release_storage(self.full)


class ShardManager:
    def __init__(self, module, group=None):
        self.params = {
            name: ShardedParam(p, group) for name, p in module.named_parameters()
        }
        self.norms = {}

    def start_forward(self):
        return {name: p.gather() for name, p in self.params.items()}

    @torch.no_grad()
    def finish_backward(self, lr, grads):
        """Updates the shards, and frees what start_forward gathered."""
        for name, p in self.params.items():
            grad = grads[name]
            self.norms[name] = p.full[: p.numel].norm().item()
            p.free()
            p.shard.add_(grad, alpha=-lr)

    def largest(self):
        return max(self.norms, key=self.norms.get)
