"""Request objects for the print spooler (cffi, ABI mode)."""
from cffi import FFI

ffi = FFI()
ffi.cdef("""
typedef struct { char *name; char *value; } spool_option;
typedef struct {
    const char *title;
    int copies;
    int option_count;
    spool_option *options;
} spool_job;
int spool_submit(const spool_job *job);
""")


def load(path="libspool.so.2"):
    return ffi.dlopen(path)


class Job:
    def __init__(self, title, copies=1):
        self._title = ffi.new("char[]", title.encode())
        self._c = ffi.new("spool_job *")
        self._c.title = self._title
        self._c.copies = copies
        self._keep = []

    def _text(self, value):
        text = ffi.new("char[]", str(value).encode())
        self._keep.append(text)
        return text

    def set_options(self, options):
        table = ffi.new("spool_option[]", len(options))
        for slot, (name, value) in zip(table, sorted(options.items())):
            slot.name = self._text(name)
            slot.value = self._text(value)
        self._c.options = table
        self._c.option_count = len(options)
        return self

    def submit(self, lib):
        status = lib.spool_submit(self._c)
        if status != 0:
            raise RuntimeError(f"spooler refused the job: {status}")
        return status


def print_invoice(lib, number, duplex=True):
    job = Job(f"invoice {number}", copies=2)
    job.set_options({"sides": "two" if duplex else "one", "tray": 1, "media": "a4"})
    return job.submit(lib)


if __name__ == "__main__":
    spool = load()
    for n in (1001, 1002):
        print_invoice(spool, n)
