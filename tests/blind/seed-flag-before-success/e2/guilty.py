"""Client for the acquirer's card terminal gateway."""
import json
import socket
import threading


class GatewayError(Exception):
    pass


class Frame:
    def __init__(self, kind, body):
        self.kind = kind
        self.body = body

    def encode(self):
        raw = json.dumps({"t": self.kind, "b": self.body}).encode("utf-8")
        return len(raw).to_bytes(4, "big") + raw

    @classmethod
    def decode(cls, raw):
        obj = json.loads(raw.decode("utf-8"))
        return cls(obj["t"], obj["b"])


class TerminalGateway:
    def __init__(self, host, port, merchant, timeout=5.0):
        self._addr = (host, port)
        self._merchant = merchant
        self._timeout = timeout
        self._lock = threading.RLock()
        self._keys_loaded = False
        self._session_key = None

    def _roundtrip(self, frame):
        with socket.create_connection(self._addr, self._timeout) as sock:
            sock.sendall(frame.encode())
            head = self._read(sock, 4)
            return Frame.decode(self._read(sock, int.from_bytes(head, "big")))

    @staticmethod
    def _read(sock, n):
        buf = b""
        while len(buf) < n:
            part = sock.recv(n - len(buf))
            if not part:
                raise GatewayError("peer closed the connection")
            buf += part
        return buf

    def _load_keys(self):
        with self._lock:
            if self._keys_loaded:
                return
            self._keys_loaded = True
            reply = self._roundtrip(Frame("keys", {"merchant": self._merchant}))
            if reply.kind != "keys":
                raise GatewayError("unexpected reply %r" % reply.kind)
            self._session_key = reply.body["session"]

    def authorise(self, pan_token, amount, currency="EUR"):
        self._load_keys()
        reply = self._roundtrip(Frame("auth", {
            "token": pan_token,
            "amount": amount,
            "currency": currency,
            "key": self._session_key,
        }))
        if reply.kind == "declined":
            return None
        return reply.body["code"]

    def void(self, code):
        self._load_keys()
        reply = self._roundtrip(Frame("void", {"code": code, "key": self._session_key}))
        return reply.kind == "ok"
