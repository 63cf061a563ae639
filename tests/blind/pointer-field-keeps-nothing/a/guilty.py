"""Feed RGB frames to the openh26x encoder."""
import ctypes
from ctypes import POINTER, c_int, c_int64, c_ubyte, c_void_p

import numpy as np

U8P = POINTER(c_ubyte)


class Picture(ctypes.Structure):
    _fields_ = [
        ("width", c_int),
        ("height", c_int),
        ("pts", c_int64),
        ("stride", c_int * 3),
        ("plane", U8P * 3),
    ]


_enc = ctypes.CDLL("libopenh26x.so")
_enc.h26x_encode.argtypes = [c_void_p, POINTER(Picture), U8P, c_int]
_enc.h26x_encode.restype = c_int

_RGB_TO_YUV = np.array(
    [[0.299, 0.587, 0.114], [-0.169, -0.331, 0.5], [0.5, -0.419, -0.081]]
)


def to_yuv(rgb):
    yuv = rgb.reshape(-1, 3) @ _RGB_TO_YUV.T
    yuv[:, 1:] += 128.0
    return np.clip(yuv, 0, 255).reshape(rgb.shape)


def encode_frame(session, rgb, pts, packet):
    """Encode one frame into packet (a uint8 array); returns its length."""
    height, width, _ = rgb.shape
    yuv = to_yuv(rgb)
    pic = Picture(width=width, height=height, pts=pts)
    for i in range(3):
        pic.plane[i] = yuv[..., i].astype(np.uint8, order="C").ctypes.data_as(U8P)
        pic.stride[i] = width
    size = _enc.h26x_encode(
        session, ctypes.byref(pic), packet.ctypes.data_as(U8P), packet.size
    )
    if size < 0:
        raise RuntimeError(f"h26x_encode: {size}")
    return size
