"""Reads MPEG headers through libmpg123's custom I/O."""
import ctypes
import ctypes.util
import io

READ = ctypes.CFUNCTYPE(ctypes.c_ssize_t, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
SEEK = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_void_p, ctypes.c_long, ctypes.c_int)

mpg = ctypes.CDLL(ctypes.util.find_library("mpg123"))
mpg.mpg123_new.restype = ctypes.c_void_p
mpg.mpg123_new.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_int)]
mpg.mpg123_delete.argtypes = [ctypes.c_void_p]
mpg.mpg123_close.argtypes = [ctypes.c_void_p]
mpg.mpg123_replace_reader_handle.argtypes = [ctypes.c_void_p, READ, SEEK, ctypes.c_void_p]
mpg.mpg123_open_handle.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
mpg.mpg123_length.argtypes = [ctypes.c_void_p]
mpg.mpg123_length.restype = ctypes.c_long


class Decoder:
    def __init__(self, stream):
        self.stream = stream
        self.handle = mpg.mpg123_new(None, None)
        if not self.handle:
            raise MemoryError("mpg123_new")
        self._install(stream)
        if mpg.mpg123_open_handle(self.handle, None) != 0:
            raise OSError("cannot open the stream")

    def _install(self, stream):
        def read(_, target, size):
            data = stream.read(size)
            ctypes.memmove(target, data, len(data))
            return len(data)

        def seek(_, offset, whence):
            return stream.seek(offset, whence)

        on_read, on_seek = READ(read), SEEK(seek)
        if mpg.mpg123_replace_reader_handle(self.handle, on_read, on_seek, None) != 0:
            raise RuntimeError("the reader was refused")

    def samples(self):
        return mpg.mpg123_length(self.handle)

    def close(self):
        if self.handle:
            mpg.mpg123_close(self.handle)
            mpg.mpg123_delete(self.handle)
            self.handle = None


def duration(data, rate=44100):
    decoder = Decoder(io.BytesIO(data))
    try:
        return decoder.samples() / rate
    finally:
        decoder.close()
