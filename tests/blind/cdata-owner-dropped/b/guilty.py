import contextlib

from ._mezzo import ffi, lib  # cffi out-of-line module

__all__ = ["Pipeline", "StageError"]


class StageError(RuntimeError):
    def __init__(self, code, stage):
        super().__init__(f"stage {stage!r}: {ffi.string(lib.mz_strerror(code)).decode()}")
        self.code = code


def _cstr(text):
    if isinstance(text, str):
        text = text.encode("utf-8", "surrogateescape")
    return ffi.new("char[]", text)


class Pipeline:
    """A chain of filter processes over one shared ring buffer."""

    def __init__(self, ring_bytes=1 << 20):
        handle = lib.mz_pipeline_new(ring_bytes)
        if handle == ffi.NULL:
            raise MemoryError("mz_pipeline_new")
        self._p = ffi.gc(handle, lib.mz_pipeline_free)
        self._stages = []

    def spawn(self, program, *options, env=None):
        args = [program, *map(str, options)]
        env = {} if env is None else env
        argv = ffi.new("char *[]", [_cstr(a) for a in args] + [ffi.NULL])
        spec = ffi.new("mz_spec *")
        spec.argc = len(args)
        spec.argv = argv
        spec.flags = lib.MZ_INHERIT_STDERR
        names = [_cstr(f"{k}={v}") for k, v in env.items()]
        envp = ffi.new("char *[]", names + [ffi.NULL])
        spec.envp = envp
        # copies argv and envp into the child before it answers
        code = lib.mz_stage_start(self._p, spec)
        if code != 0:
            raise StageError(code, program)
        self._stages.append(program)
        return len(self._stages) - 1

    def drain(self):
        code = lib.mz_pipeline_drain(self._p)
        if code != 0:
            raise StageError(code, self._stages[-1] if self._stages else "-")

    @contextlib.contextmanager
    def draining(self):
        yield self
        self.drain()
