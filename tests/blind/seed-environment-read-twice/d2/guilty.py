"""Streams prices from an exchange and restarts the stream when it stalls."""

from __future__ import annotations

import json
import logging
import os
import socket
import time
from dataclasses import dataclass
from decimal import Decimal
from typing import Callable, Iterator, Optional

logger = logging.getLogger("quotes")

DEFAULT_TIMEOUT_MS = 2000


@dataclass(frozen=True)
class Quote:
    symbol: str
    bid: Decimal
    ask: Decimal

    @property
    def spread(self) -> Decimal:
        return self.ask - self.bid


def parse_quote(line: bytes) -> Quote:
    fields = json.loads(line)
    return Quote(fields["symbol"], Decimal(fields["bid"]), Decimal(fields["ask"]))


class PriceFeed:
    """One connection to the exchange."""

    def __init__(self, host: str, port: int) -> None:
        self._address = (host, port)
        self._timeout = int(os.environ.get("QUOTES_TIMEOUT_MS", DEFAULT_TIMEOUT_MS)) / 1000
        self._socket: Optional[socket.socket] = None

    def __enter__(self) -> PriceFeed:
        self._socket = socket.create_connection(self._address, timeout=self._timeout)
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def quotes(self) -> Iterator[Quote]:
        if self._socket is None:
            raise RuntimeError("feed is not connected")
        with self._socket.makefile("rb") as lines:
            for line in lines:
                yield parse_quote(line)


class FeedSupervisor:
    """Keeps a feed running and hands its quotes to a callback.

    A feed that was silent for its timeout is opened again, after a pause of
    twice that time for every attempt that failed in a row.
    """

    MAX_FAILURES = 5

    def __init__(self, host: str, port: int, on_quote: Callable[[Quote], None]) -> None:
        self._host = host
        self._port = port
        self._on_quote = on_quote
        self._failures = 0
        timeout_ms = os.getenv("QUOTES_TIMEOUT_MS")
        self._timeout = int(timeout_ms) / 1000 if timeout_ms else DEFAULT_TIMEOUT_MS / 1000

    def _handle(self, quote: Quote) -> None:
        self._failures = 0
        if quote.spread < 0:
            logger.warning("crossed quote for %s ignored", quote.symbol)
            return
        self._on_quote(quote)

    def run_once(self) -> None:
        with PriceFeed(self._host, self._port) as feed:
            for quote in feed.quotes():
                self._handle(quote)

    def run(self) -> None:
        while self._failures < self.MAX_FAILURES:
            try:
                self.run_once()
                logger.info("feed closed by the exchange")
                return
            except OSError as error:
                self._failures += 1
                pause = 2 * self._timeout * self._failures
                logger.warning("feed lost (%s), next attempt in %.1f s", error, pause)
                time.sleep(pause)
        raise RuntimeError(f"no feed after {self.MAX_FAILURES} attempts")


def main() -> None:
    logging.basicConfig(level=logging.INFO)
    supervisor = FeedSupervisor(
        os.environ.get("QUOTES_HOST", "localhost"), 7001, on_quote=print
    )
    supervisor.run()


if __name__ == "__main__":
    main()
