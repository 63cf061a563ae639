"""ctypes bindings for libscene, the scene graph of the planetarium."""
import ctypes
import ctypes.util

_lib = ctypes.CDLL(ctypes.util.find_library("scene") or "libscene.so.2")

_lib.scn_new.restype = ctypes.c_void_p
_lib.scn_new.argtypes = []
_lib.scn_add.restype = ctypes.c_void_p
_lib.scn_add.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
# Frees the node and everything below it.
_lib.scn_free.restype = None
_lib.scn_free.argtypes = [ctypes.c_void_p]
_lib.scn_set_pos.restype = None
_lib.scn_set_pos.argtypes = [ctypes.c_void_p] + [ctypes.c_double] * 3
_lib.scn_brightness.restype = ctypes.c_double
_lib.scn_brightness.argtypes = [ctypes.c_void_p]


class SceneError(RuntimeError):
    """The node is no longer part of a scene."""


class Node:
    """A body in the scene; made by Scene.root or Node.add only."""

    def __init__(self, handle, parent, name):
        self._handle = handle
        self._parent = parent
        self.name = name
        self._valid = True

    def __repr__(self):
        return "<Node %s>" % "/".join(self.path())

    def path(self):
        names = [self.name]
        node = self._parent
        while node is not None:
            names.append(node.name)
            node = node._parent
        return list(reversed(names))

    def _require(self):
        if not self._valid:
            raise SceneError(self.name)
        return self._handle

    @property
    def valid(self):
        return self._valid

    def add(self, name):
        handle = _lib.scn_add(self._require(), name.encode("utf-8"))
        if not handle:
            raise MemoryError(name)
        return Node(handle, self, name)

    def move_to(self, x, y, z):
        _lib.scn_set_pos(self._require(), x, y, z)

    def brightness(self):
        return _lib.scn_brightness(self._require())

    def remove(self):
        if self._parent is None:
            raise SceneError("the root cannot be removed")
        _lib.scn_free(self._require())
        self._valid = False


class Scene:
    def __init__(self):
        handle = _lib.scn_new()
        if not handle:
            raise MemoryError("scene")
        self.root = Node(handle, None, "")

    def close(self):
        if self.root._valid:
            self.root._valid = False
            _lib.scn_free(self.root._handle)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()
