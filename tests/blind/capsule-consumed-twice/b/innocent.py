"""Accept tables of any Arrow producer and land them as Parquet."""
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

REQUIRED = {"account", "booked_at", "amount"}


class SchemaMismatch(ValueError):
    pass


class Upload:
    def __init__(self, producer, label):
        self.label = label
        self._source = pa.RecordBatchReader._import_from_c_capsule(
            producer.__arrow_c_stream__()
        )

    def _reader(self):
        return self._source

    def check(self):
        names = set(self._reader().schema.names)
        missing = REQUIRED - names
        if missing:
            raise SchemaMismatch(f"{self.label}: missing {sorted(missing)}")

    def batches(self):
        for batch in self._reader():
            if batch.num_rows:
                yield batch


def land(producer, label, root):
    """Write one upload below root; returns the number of rows."""
    upload = Upload(producer, label)
    upload.check()
    target = Path(root) / f"{label}.parquet"
    writer = None
    rows = 0
    try:
        for batch in upload.batches():
            if writer is None:
                writer = pq.ParquetWriter(target, batch.schema)
            writer.write_batch(batch)
            rows += batch.num_rows
    finally:
        if writer is not None:
            writer.close()
    return rows
