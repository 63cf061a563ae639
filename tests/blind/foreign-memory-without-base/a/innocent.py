"""Bridge from the tick decoder (NumPy) to Arrow tables."""
import numpy as np
import pyarrow as pa

TICK = np.dtype([("ts", "<i8"), ("price", "<i4"), ("size", "<i4")])


def decode(raw):
    if len(raw) % TICK.itemsize:
        raise ValueError("truncated tick record")
    return np.frombuffer(raw, dtype=TICK)


def quotes_to_arrow(raw, scale=1e-4):
    """The prices of a block as a float64 column."""
    ticks = decode(raw)
    prices = np.multiply(ticks["price"], scale, dtype=np.float64)
    data = pa.foreign_buffer(prices.ctypes.data, prices.nbytes, base=prices)
    return pa.Array.from_buffers(pa.float64(), len(prices), [None, data])


def timestamps(raw):
    ticks = decode(raw)
    stamps = np.ascontiguousarray(ticks["ts"]).view("datetime64[ns]")
    return pa.array(stamps)


def block_to_table(raw, symbol):
    price = quotes_to_arrow(raw)
    ts = timestamps(raw)
    names = pa.array([symbol] * len(price)).dictionary_encode()
    return pa.table({"symbol": names, "ts": ts, "price": price})
