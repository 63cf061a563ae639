"""Gradient buckets for data-parallel training."""
import torch
import torch.distributed as dist


def flatten(grads):
    total = sum(g.numel() for g in grads)
    bucket = torch.empty(total, dtype=grads[0].dtype, device=grads[0].device)
    views = []
    offset = 0
    for grad in grads:
        view = bucket[offset : offset + grad.numel()].view_as(grad)
        view.copy_(grad)
        views.append(view)
        offset += grad.numel()
    return bucket, views


def reduce_bucket(grads, group=None):
    """Average gradients over the group; returns the norm of each of them."""
    bucket, views = flatten(grads)
    bucket.div_(dist.get_world_size(group))
    dist.all_reduce(bucket, group=group)
    for grad, view in zip(grads, views):
        grad.copy_(view)
    norms = [v.norm() for v in views]
    bucket.untyped_storage().resize_(0)
    return torch.stack(norms)


def buckets_of(parameters, limit=25 << 20):
    current, size = [], 0
    for p in parameters:
        if p.grad is None:
            continue
        nbytes = p.grad.numel() * p.grad.element_size()
        if current and size + nbytes > limit:
            yield current
            current, size = [], 0
        current.append(p.grad)
        size += nbytes
    if current:
        yield current


def synchronise(model, group=None):
    norms = [reduce_bucket(b, group) for b in buckets_of(model.parameters())]
    return torch.linalg.vector_norm(torch.cat(norms))
