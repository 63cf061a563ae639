"""Writes alignment headers through the native writer."""
from cffi import FFI

ffi = FFI()
ffi.cdef(
    """
    typedef struct aln_writer aln_writer;
    aln_writer *aln_create(const char *path);
    int aln_header(aln_writer *w, const char *const *contigs,
                   const int64_t *lengths, size_t n);
    int aln_finish(aln_writer *w);
    """
)
lib = ffi.dlopen("libalnio.so.1")


class WriterError(Exception):
    pass


def _string_table(names):
    """A C array of the names, NULL at its end."""
    cells = [ffi.new("char[]", name.encode("ascii")) for name in names]
    table = ffi.new("char *[]", len(cells) + 1)
    for i, cell in enumerate(cells):
        table[i] = cell
    table[len(cells)] = ffi.NULL
    return table


class AlignmentWriter:
    def __init__(self, path):
        self._writer = lib.aln_create(str(path).encode())
        if self._writer == ffi.NULL:
            raise WriterError(f"cannot create {path}")

    def write_header(self, reference):
        """reference: mapping of contig name to its length in bases."""
        names = sorted(reference)
        contigs = _string_table(names)
        lengths = ffi.new("int64_t[]", [reference[name] for name in names])
        if lib.aln_header(self._writer, contigs, lengths, len(names)) != 0:
            raise WriterError("header was refused")

    def close(self):
        if self._writer != ffi.NULL:
            writer, self._writer = self._writer, ffi.NULL
            if lib.aln_finish(writer) != 0:
                raise WriterError("file was not completed")

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()
