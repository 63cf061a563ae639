"""Replay the denoiser as a CUDA graph over a directory of spectrograms."""
import argparse

import torch
from torch.utils.data import DataLoader

from denoise.data import SpectrogramFolder
from denoise.model import UNet


def warm_up(model, example, rounds=3):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(rounds):
            model(example)
    torch.cuda.current_stream().wait_stream(side)


@torch.inference_mode()
def denoise_all(model, loader, device):
    first = next(iter(loader))
    noisy = first.to(device)
    warm_up(model, noisy)

    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        clean = model(noisy)

    results = []
    for batch in loader:
        noisy = batch.to(device, non_blocking=True)
        graph.replay()
        results.append(clean.cpu())
    return torch.cat(results)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--weights", required=True)
    parser.add_argument("--out", default="clean.pt")
    args = parser.parse_args()

    device = torch.device("cuda")
    model = UNet().to(device).eval()
    model.load_state_dict(torch.load(args.weights, map_location=device))
    loader = DataLoader(
        SpectrogramFolder(args.folder), batch_size=16, drop_last=True, pin_memory=True
    )
    torch.save(denoise_all(model, loader, device), args.out)


if __name__ == "__main__":
    main()
