"""A small cache of compiled kernels."""
from collections import OrderedDict

from mlir.ir import Context, Location, Module
from mlir.passmanager import PassManager

PIPELINE = "builtin.module(canonicalize,cse,convert-func-to-llvm)"


class KernelCache:
    def __init__(self, context, capacity=32):
        self._context = context
        self._capacity = capacity
        self._entries = OrderedDict()

    def __len__(self):
        return len(self._entries)

    def get(self, key, build):
        if key in self._entries:
            self._entries.move_to_end(key)
            return self._entries[key]
        module = self._compile(build())
        self._entries[key] = module
        while len(self._entries) > self._capacity:
            self._evict()
        return module

    def _compile(self, text):
        with self._context, Location.unknown(self._context):
            module = Module.parse(text)
            PassManager.parse(PIPELINE).run(module.operation)
            return module

    def _evict(self):
        self._entries.popitem(last=False)

    def clear(self):
        while self._entries:
            self._evict()


def main():
    cache = KernelCache(Context(), capacity=4)
    for n in range(16):
        text = f"func.func @k{n}(%a: i32) -> i32 {{ return %a : i32 }}"
        print(cache.get(n, lambda: text))
    cache.clear()


if __name__ == "__main__":
    main()
