"""Thin ctypes layer over libxml2 for the feed importer."""
import ctypes
import ctypes.util
import weakref

_xml = ctypes.CDLL(ctypes.util.find_library("xml2"))
_xml.xmlReadMemory.restype = ctypes.c_void_p
_xml.xmlReadMemory.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int]
_xml.xmlFreeDoc.restype = None
_xml.xmlFreeDoc.argtypes = [ctypes.c_void_p]
_xml.xmlDocGetRootElement.restype = ctypes.c_void_p
_xml.xmlDocGetRootElement.argtypes = [ctypes.c_void_p]
_xml.xmlChildElementCount.restype = ctypes.c_ulong
_xml.xmlChildElementCount.argtypes = [ctypes.c_void_p]


class Feed:
    def __init__(self, data, url=None):
        self.handle = _xml.xmlReadMemory(data, len(data), url, None, 0)
        if not self.handle:
            raise ValueError("not well-formed")
        self.finalizer = weakref.finalize(self, _xml.xmlFreeDoc, self.handle)

    @property
    def entries(self):
        if not self.handle:
            raise ValueError("the feed was closed")
        root = _xml.xmlDocGetRootElement(self.handle)
        return _xml.xmlChildElementCount(root)


def release(feed):
    if feed.handle:
        feed.finalizer()
        feed.handle = None


def import_feeds(blobs, limit):
    total = 0
    for blob in blobs:
        try:
            feed = Feed(blob)
        except ValueError:
            continue
        total += min(feed.entries, limit)
        release(feed)
    return total


if __name__ == "__main__":
    import sys

    documents = []
    for name in sys.argv[1:]:
        with open(name, "rb") as f:
            documents.append(f.read())
    print(import_feeds(documents, limit=100))
