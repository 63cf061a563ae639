"""Python face of libsheet: workbooks, sheets, styles and charts."""
import ctypes
import os

_lib = ctypes.CDLL("libsheet.so.4")


def _proto(name, restype, *argtypes):
    function = getattr(_lib, name)
    function.restype = restype
    function.argtypes = list(argtypes)
    return function


_P, _S, _I, _D = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_double

_book_open = _proto("sheet_book_open", _P, _S)
_book_close = _proto("sheet_book_close", None, _P)
_book_sheet = _proto("sheet_book_sheet", _P, _P, _S)
_book_style = _proto("sheet_book_style", _P, _P, _S)
_book_chart = _proto("sheet_book_chart", _P, _P, _I)
_cell_number = _proto("sheet_cell_number", _D, _P, _I, _I)
_cell_store = _proto("sheet_cell_store", _I, _P, _I, _I, _D, _P)
_style_bold = _proto("sheet_style_bold", None, _P, _I)
_chart_title = _proto("sheet_chart_title", _S, _P)
_chart_retitle = _proto("sheet_chart_retitle", _I, _P, _S)


class SheetError(RuntimeError):
    pass


def _live(handle, what):
    if not handle:
        raise SheetError(f"no such {what}")
    return handle


class Sheet:
    def __init__(self, workbook, handle):
        self._workbook = workbook
        self._handle = handle

    def __getitem__(self, position):
        return _cell_number(self._handle, *position)

    def store(self, position, value, style=None):
        row, column = position
        raw = style._handle if style is not None else None
        if _cell_store(self._handle, row, column, float(value), raw) != 0:
            raise SheetError(f"cannot store at {position}")


class Style:
    def __init__(self, workbook, handle):
        self._workbook = workbook
        self._handle = handle

    def bold(self, on=True):
        _style_bold(self._handle, int(on))
        return self


class Chart:
    def __init__(self, workbook, handle):
        self._where = workbook.path
        self._handle = handle

    @property
    def title(self):
        return (_chart_title(self._handle) or b"").decode()

    @title.setter
    def title(self, text):
        if _chart_retitle(self._handle, text.encode()) != 0:
            raise SheetError(f"{self._where}: cannot set a title")


class Workbook:
    """Owns everything that is reached through it; closed when collected."""

    def __init__(self, path):
        self._handle = None
        self.path = path
        self._handle = _live(_book_open(os.fsencode(path)), "workbook")

    def sheet(self, name):
        return Sheet(self, _live(_book_sheet(self._handle, name.encode()), "sheet"))

    def style(self, name):
        return Style(self, _live(_book_style(self._handle, name.encode()), "style"))

    def chart(self, index):
        return Chart(self, _live(_book_chart(self._handle, index), "chart"))

    def __del__(self):
        if self._handle:
            _book_close(self._handle)
