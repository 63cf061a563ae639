"""What the turbines of a park are doing."""

from __future__ import annotations

from turbine_native import Turbine


def idle_speed(name: str) -> float:
    # The turbine dies at the end of the first line, and the rotor is a part of it.
    rotor = Turbine(name).rotor()
    return rotor.speed()


def running_speed(turbine: Turbine) -> float:
    # Innocent: the caller holds the turbine while the rotor is used.
    rotor = turbine.rotor()
    return rotor.speed()


def idle_tilt(name: str) -> float:
    # Innocent: the binding says that a nacelle keeps its turbine alive.
    nacelle = Turbine(name).nacelle()
    return nacelle.tilt()


def lengths(name: str) -> list[float]:
    turbine = Turbine(name)
    blades = turbine.blades()
    del turbine
    return [blade.length for blade in blades]


def lengths_in_time(name: str) -> list[float]:
    # Innocent: the turbine is let go when the last blade has been read.
    turbine = Turbine(name)
    found = [blade.length for blade in turbine.blades()]
    del turbine
    return found
