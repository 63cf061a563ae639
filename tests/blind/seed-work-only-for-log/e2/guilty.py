"""Nightly reconciliation of shipped orders against the warehouse ledger."""
import csv
import logging
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal

log = logging.getLogger(__name__)


@dataclass
class Order:
    number: str
    customer: str
    country: str
    total: Decimal
    lines: list = field(default_factory=list)


@dataclass
class Mismatch:
    number: str
    expected: Decimal
    booked: Decimal


class Ledger:
    def __init__(self):
        self._booked = {}

    @classmethod
    def from_csv(cls, path):
        ledger = cls()
        with open(path, newline="") as handle:
            for row in csv.DictReader(handle):
                ledger.book(row["order"], Decimal(row["amount"]))
        return ledger

    def book(self, number, amount):
        self._booked[number] = self._booked.get(number, Decimal(0)) + amount

    def booked(self, number):
        return self._booked.get(number, Decimal(0))


class Reconciler:
    def __init__(self, ledger, tolerance=Decimal("0.01")):
        self.ledger = ledger
        self.tolerance = tolerance

    def run(self, orders):
        mismatches = []
        by_country = Counter()
        by_size = Counter()
        for order in orders:
            by_country[order.country] += 1
            by_size[len(order.lines)] += 1
            booked = self.ledger.booked(order.number)
            if abs(order.total - booked) > self.tolerance:
                mismatches.append(Mismatch(order.number, order.total, booked))
        if log.isEnabledFor(logging.DEBUG):
            log.debug("countries: %s", dict(by_country.most_common()))
            log.debug("sizes: %s", dict(by_size.most_common()))
        return mismatches


def report(mismatches, out):
    writer = csv.writer(out)
    writer.writerow(["order", "expected", "booked"])
    for item in mismatches:
        writer.writerow([item.number, item.expected, item.booked])
