"""Maintenance of training checkpoints in one HDF5 file."""

import argparse
import logging
import re

import h5py

log = logging.getLogger("checkpoints")

_STEP = re.compile(r"step_(\d+)$")


def step_of(name):
    """The step of a checkpoint group, or None for any other member."""
    match = _STEP.match(name)
    return int(match.group(1)) if match else None


def write_checkpoint(path, step, arrays):
    with h5py.File(path, "a") as f:
        group = f.require_group("checkpoints").create_group(f"step_{step}")
        for name, array in arrays.items():
            group.create_dataset(name, data=array, compression="gzip")
        group.attrs["complete"] = True


def latest_steps(group, keep):
    steps = sorted(s for s in map(step_of, group) if s is not None)
    return set(steps[-keep:]) if keep > 0 else set()


def prune_checkpoints(path, keep, dry_run=False):
    """Removes all but the last `keep` checkpoints, and all broken ones."""
    removed = []
    with h5py.File(path, "r+") as f:
        group = f.get("checkpoints")
        if group is None:
            return removed
        keepers = latest_steps(group, keep)
        for name, item in group.items():
            step = step_of(name)
            if step is None:
                continue
            if step in keepers and item.attrs.get("complete", False):
                continue
            log.info("removing %s", item.name)
            if not dry_run:
                del group[name]
            removed.append(step)
    return removed


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path")
    parser.add_argument("--keep", type=int, default=5)
    parser.add_argument("--dry-run", action="store_true")
    args = parser.parse_args(argv)
    logging.basicConfig(level=logging.INFO)
    removed = prune_checkpoints(args.path, args.keep, args.dry_run)
    print(f"{len(removed)} checkpoint(s) removed")


if __name__ == "__main__":
    main()
