"""Thumbnail strip: pictures are decoded off the GUI thread."""
import logging
from pathlib import Path

from PyQt5.QtCore import QSize, Qt, QThread, pyqtSignal
from PyQt5.QtGui import QIcon, QImage, QPixmap
from PyQt5.QtWidgets import QListWidget, QListWidgetItem

log = logging.getLogger(__name__)
SUFFIXES = {".png", ".jpg", ".jpeg", ".tif"}


class DecodeThread(QThread):
    decoded = pyqtSignal(str, QImage)

    def __init__(self, path, edge, parent=None):
        super().__init__(parent)
        self._path = path
        self._edge = edge

    def run(self):
        image = QImage(str(self._path))
        if image.isNull():
            log.warning("cannot decode %s", self._path)
            return
        self.decoded.emit(
            str(self._path),
            image.scaled(self._edge, self._edge, Qt.KeepAspectRatio, Qt.SmoothTransformation),
        )


class ThumbnailPanel(QListWidget):
    def __init__(self, edge=128, parent=None):
        super().__init__(parent)
        self._edge = edge
        self._workers = set()
        self.setViewMode(QListWidget.IconMode)
        self.setIconSize(QSize(edge, edge))

    def open_folder(self, folder):
        self.clear()
        for path in sorted(Path(folder).iterdir()):
            if path.suffix.lower() in SUFFIXES:
                self.load(path)

    def load(self, path):
        worker = DecodeThread(path, self._edge)
        worker.decoded.connect(self._show)
        worker.finished.connect(self._reap)
        self._workers.add(worker)
        worker.start()

    def _reap(self):
        self._workers = {w for w in self._workers if not w.isFinished()}

    def _show(self, path, image):
        item = QListWidgetItem(QIcon(QPixmap.fromImage(image)), Path(path).name)
        item.setData(Qt.UserRole, path)
        self.addItem(item)

    def closeEvent(self, event):
        for worker in list(self._workers):
            worker.wait()
        super().closeEvent(event)
