from __future__ import annotations

import torch
from torch import nn


class GraphedDecoder:
    """One decoding step, recorded once and replayed for each token.

    The step function has the signature step(tokens, position, cache) and
    writes the keys and values of the step into the cache at `position`.
    """

    def __init__(self, step: nn.Module, cache: list[torch.Tensor], batch: int):
        device = cache[0].device
        self.step = step
        self.cache = cache
        self.tokens = torch.zeros(batch, 1, dtype=torch.long, device=device)
        self.position = torch.zeros(1, dtype=torch.long, device=device)
        self._graph: torch.cuda.CUDAGraph | None = None
        self._logits: torch.Tensor | None = None

    def _record(self) -> None:
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(2):
                self.step(self.tokens, self.position, self.cache)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self._logits = self.step(self.tokens, self.position, self.cache)
        self._graph = graph

    def reset(self, prompt_token: torch.Tensor) -> None:
        self.tokens.copy_(prompt_token.view(-1, 1))
        self.position.zero_()
        for layer in self.cache:
            layer.zero_()

    def _advance(self, chosen: torch.Tensor) -> None:
        self.tokens.copy_(chosen.view(-1, 1))
        self.position = self.position + 1

    @torch.no_grad()
    def generate(self, prompt_token: torch.Tensor, length: int) -> torch.Tensor:
        if self._graph is None:
            self._record()
        self.reset(prompt_token)
        out = []
        for _ in range(length):
            self._graph.replay()
            chosen = self._logits[:, -1].argmax(dim=-1)
            out.append(chosen)
            self._advance(chosen)
        return torch.stack(out, dim=1)
