"""Font families of the system, through CoreText."""
import ctypes
from ctypes import c_bool, c_char_p, c_double, c_long, c_uint32, c_void_p
from ctypes.util import find_library

cf = ctypes.CDLL(find_library("CoreFoundation"))
ct = ctypes.CDLL(find_library("CoreText"))

UTF8 = 0x08000100

cf.CFStringCreateWithCString.argtypes = [c_void_p, c_char_p, c_uint32]
cf.CFStringCreateWithCString.restype = c_void_p
cf.CFStringGetLength.argtypes = [c_void_p]
cf.CFStringGetLength.restype = c_long
cf.CFStringGetCString.argtypes = [c_void_p, c_char_p, c_long, c_uint32]
cf.CFStringGetCString.restype = c_bool
cf.CFRelease.argtypes = [c_void_p]
cf.CFRelease.restype = None
ct.CTFontCreateWithName.argtypes = [c_void_p, c_double, c_void_p]
ct.CTFontCreateWithName.restype = c_void_p
ct.CTFontCopyFamilyName.argtypes = [c_void_p]
ct.CTFontCopyFamilyName.restype = c_void_p
ct.CTFontGetCapHeight.argtypes = [c_void_p]
ct.CTFontGetCapHeight.restype = c_double


def _to_str(ref):
    size = cf.CFStringGetLength(ref) * 4 + 1
    buffer = ctypes.create_string_buffer(size)
    if not cf.CFStringGetCString(ref, buffer, size, UTF8):
        raise UnicodeError("font name cannot be converted")
    return buffer.value.decode()


def _make_font(postscript_name, size):
    wanted = cf.CFStringCreateWithCString(None, postscript_name.encode(), UTF8)
    if not wanted:
        raise ValueError(postscript_name)
    try:
        font = ct.CTFontCreateWithName(wanted, size, None)
    finally:
        cf.CFRelease(wanted)
    if not font:
        raise LookupError(postscript_name)
    return font


def family_name(postscript_name):
    """The family that a face belongs to, or LookupError."""
    font = _make_font(postscript_name, 12.0)
    name = ct.CTFontCopyFamilyName(font)
    if not name:
        cf.CFRelease(font)
        raise LookupError(f"{postscript_name} has no family")
    try:
        if ct.CTFontGetCapHeight(font) <= 0.0:
            raise LookupError(f"{postscript_name} is a symbol face")
        return _to_str(name)
    finally:
        cf.CFRelease(font)
        cf.CFRelease(name)


def cap_height(postscript_name, size):
    font = _make_font(postscript_name, size)
    try:
        return ct.CTFontGetCapHeight(font)
    finally:
        cf.CFRelease(font)
