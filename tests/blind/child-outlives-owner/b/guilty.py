"""Comparison plots for the trigger studies."""
import os

import ROOT

ROOT.gROOT.SetBatch(True)

STYLES = {"data": ROOT.kBlack, "mc": ROOT.kAzure + 1}


def _open(path):
    handle = ROOT.TFile(path, "READ")
    if handle.IsZombie():
        raise OSError(f"cannot read {path}")
    return handle


def load_histogram(path, name, colour):
    source = _open(path)
    found = source.Get(name)
    if not found:
        raise KeyError(f"{name} not in {path}")
    found.SetLineColor(colour)
    found.SetLineWidth(2)
    return found


def normalise(hist):
    area = hist.Integral()
    if area > 0:
        hist.Scale(1.0 / area)
    return hist


def compare(paths, name, out_dir):
    canvas = ROOT.TCanvas(f"c_{name}", name, 800, 600)
    kept = []
    for label, path in paths.items():
        hist = normalise(load_histogram(path, name, STYLES[label]))
        hist.Draw("hist" if not kept else "hist same")
        kept.append(hist)
    target = os.path.join(out_dir, f"{name}.pdf")
    canvas.SaveAs(target)
    return target


if __name__ == "__main__":
    for quantity in ("pt", "eta", "phi"):
        print(compare({"data": "data.root", "mc": "mc.root"}, quantity, "plots"))
