import struct

import lmdb
import numpy as np

HEADER = struct.Struct("<HHI")
MAGIC = 0x4E42


class CorruptRecord(Exception):
    pass


def _parse(buf):
    magic, _version, dim = HEADER.unpack_from(buf)
    if magic != MAGIC:
        raise CorruptRecord("bad magic %#x" % magic)
    return np.frombuffer(buf, dtype="<f4", count=dim, offset=HEADER.size)


class EmbeddingStore:
    def __init__(self, path, map_size=1 << 34):
        self._env = lmdb.open(path, map_size=map_size, max_dbs=2)
        self._db = self._env.open_db(b"vectors")

    def put(self, key, vector):
        vector = np.ascontiguousarray(vector, dtype="<f4")
        record = HEADER.pack(MAGIC, 1, vector.size) + vector.tobytes()
        with self._env.begin(write=True, db=self._db) as txn:
            txn.put(key.encode(), record)

    def _fetch(self, key):
        with self._env.begin(db=self._db, buffers=True) as txn:
            buf = txn.get(key.encode())
            if buf is None:
                raise KeyError(key)
            return _parse(buf)

    def keys(self):
        with self._env.begin(db=self._db) as txn:
            with txn.cursor() as cursor:
                return [k.decode() for k in cursor.iternext(keys=True, values=False)]

    def nearest(self, query, limit=10):
        query = np.asarray(query, dtype=np.float32)
        scores = []
        for key in self.keys():
            row = self._fetch(key)
            denom = np.linalg.norm(row) * np.linalg.norm(query)
            scores.append((float(row @ query) / max(denom, 1e-12), key))
        scores.sort(reverse=True)
        return scores[:limit]

    def close(self):
        self._env.close()
