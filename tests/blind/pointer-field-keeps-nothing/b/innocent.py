import ctypes as ct

import numpy as np


class _Csr(ct.Structure):
    _fields_ = [
        ("rows", ct.c_int32),
        ("nnz", ct.c_int32),
        ("indptr", ct.POINTER(ct.c_int32)),
        ("indices", ct.POINTER(ct.c_int32)),
        ("values", ct.POINTER(ct.c_double)),
    ]


def _bind():
    lib = ct.CDLL("libfastamg.so.3")
    lib.amg_solve.restype = ct.c_int
    lib.amg_solve.argtypes = [
        ct.POINTER(_Csr),
        np.ctypeslib.ndpointer(np.float64, flags="C"),
        np.ctypeslib.ndpointer(np.float64, flags="C,W"),
        ct.c_double,
    ]
    return lib


def _describe(indptr, indices, values):
    out = _Csr()
    out.rows = indptr.size - 1
    out.nnz = values.size
    out.indptr = indptr.ctypes.data_as(ct.POINTER(ct.c_int32))
    out.indices = indices.ctypes.data_as(ct.POINTER(ct.c_int32))
    out.values = values.ctypes.data_as(ct.POINTER(ct.c_double))
    return out


class CsrMatrix:
    """A square sparse matrix, as the solver wants it."""

    _lib = None

    def __init__(self, matrix):
        matrix = matrix.tocsr()
        matrix.sort_indices()
        if matrix.shape[0] != matrix.shape[1]:
            raise ValueError("not square")
        indptr = matrix.indptr.astype(np.int32)
        indices = matrix.indices.astype(np.int32)
        values = matrix.data.astype(np.float64)
        self.shape = matrix.shape
        self._arrays = (indptr, indices, values)
        self._c = _describe(indptr, indices, values)

    def solve(self, rhs, tolerance=1e-8):
        if CsrMatrix._lib is None:
            CsrMatrix._lib = _bind()
        rhs = np.ascontiguousarray(rhs, dtype=np.float64)
        if rhs.shape != (self.shape[0],):
            raise ValueError("shape mismatch")
        x = np.zeros_like(rhs)
        code = self._lib.amg_solve(ct.byref(self._c), rhs, x, tolerance)
        if code:
            raise ArithmeticError(f"amg_solve: {code}")
        return x
