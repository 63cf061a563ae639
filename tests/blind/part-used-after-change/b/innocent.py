"""Track refinement: splits the segments of a trajectory until they are short enough."""
import math

import ROOT

ROOT.gInterpreter.Declare("""
struct Knot { double x, y, t; };
""")

Knots = ROOT.std.vector["Knot"]


def knot(x, y, t):
    k = ROOT.Knot()
    k.x, k.y, k.t = x, y, t
    return k


def gap(a, b):
    return math.hypot(a.x - b.x, a.y - b.y)


def midpoint(a, b):
    return knot((a.x + b.x) / 2, (a.y + b.y) / 2, (a.t + b.t) / 2)


class Track:
    def __init__(self, knots):
        self.knots = Knots()
        for x, y, t in knots:
            self.knots.push_back(knot(x, y, t))

    def close_loop(self, tolerance):
        """Walks back from the last knot to the first one."""
        start = ROOT.Knot(self.knots.front())
        steps = 0
        while gap(self.knots.back(), start) > tolerance and steps < 64:
            self.knots.push_back(midpoint(self.knots.back(), start))
            steps += 1
        return steps

    def length(self):
        return sum(gap(self.knots[i], self.knots[i + 1]) for i in range(self.knots.size() - 1))


def main():
    track = Track([(0, 0, 0), (3, 1, 1), (4, 5, 2), (1, 6, 3)])
    steps = track.close_loop(0.01)
    print(f"{steps} knots added, length {track.length():.3f}")


if __name__ == "__main__":
    main()
