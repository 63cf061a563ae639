"""ctypes bindings of the ``libbpe`` tokenizer."""

import ctypes
from ctypes import POINTER, c_char_p, c_int, c_int32, c_size_t, c_void_p

lib = ctypes.CDLL("libbpe.so.1")
lib.bpe_load.argtypes = [c_char_p]
lib.bpe_load.restype = c_void_p
lib.bpe_destroy.argtypes = [c_void_p]
lib.bpe_destroy.restype = None
lib.bpe_vocab_size.argtypes = [c_void_p]
lib.bpe_vocab_size.restype = c_int
lib.bpe_encode.argtypes = [c_void_p, c_char_p, POINTER(c_int32), c_size_t]
lib.bpe_encode.restype = c_int


class Model:
    """A tokenizer model; closed by `close` or when it is collected."""

    def __init__(self, path):
        self.handle = None
        handle = lib.bpe_load(str(path).encode())
        if not handle:
            raise OSError(f"cannot load tokenizer model {path}")
        self.handle = handle

    def close(self):
        if self.handle is not None:
            lib.bpe_destroy(self.handle)
            self.handle = None

    def __del__(self):
        self.close()

    def _require(self):
        if self.handle is None:
            raise ValueError("the model is closed")
        return self.handle

    def encode(self, text):
        data = text.encode()
        ids = (c_int32 * (len(data) + 1))()
        n = lib.bpe_encode(self._require(), data, ids, len(ids))
        if n < 0:
            raise ValueError("text cannot be encoded")
        return ids[:n]

    def __len__(self):
        return lib.bpe_vocab_size(self._require())


def token_counts(path, lines):
    """The number of tokens in each of `lines`."""
    model = Model(path)
    try:
        return [len(model.encode(line)) for line in lines]
    finally:
        model.close()


def vocabulary_size(path):
    model = Model(path)
    try:
        return len(model)
    finally:
        model.close()


def compare(paths):
    """Prints the vocabulary size of each model in `paths`."""
    for path in paths:
        print(f"{path}: {vocabulary_size(path)} tokens")
