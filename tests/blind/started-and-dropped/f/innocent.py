"""Panel that exports the current volume in the background."""
from pathlib import Path

import numpy as np
from PySide6.QtCore import QThread, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget


class ExportThread(QThread):
    advanced = Signal(int)
    failed = Signal(str)

    def __init__(self, volume, target):
        super().__init__()
        self._volume = volume
        self._target = Path(target)

    def run(self):
        total = len(self._volume)
        try:
            for index, plane in enumerate(self._volume):
                if self.isInterruptionRequested():
                    return
                np.save(self._target / f"plane_{index:04d}.npy", plane)
                self.advanced.emit(100 * (index + 1) // total)
        except OSError as exc:
            self.failed.emit(str(exc))


class ExportPanel(QWidget):
    def __init__(self, model, parent=None):
        super().__init__(parent)
        self._model = model
        self._thread = None
        self._bar = QProgressBar()
        self._status = QLabel("idle")
        self._button = QPushButton("Export...")
        self._button.clicked.connect(self.choose)
        layout = QVBoxLayout(self)
        for widget in (self._button, self._bar, self._status):
            layout.addWidget(widget)

    @Slot()
    def choose(self):
        folder = QFileDialog.getExistingDirectory(self, "Export to")
        if folder:
            self.export(folder)

    def export(self, folder):
        thread = ExportThread(self._model.volume(), folder)
        thread.advanced.connect(self._bar.setValue)
        thread.failed.connect(self._show_error)
        thread.finished.connect(self._done)
        self._button.setEnabled(False)
        self._status.setText(f"exporting to {folder}")
        self._thread = thread
        thread.start()

    @Slot(str)
    def _show_error(self, text):
        self._status.setText(text)

    @Slot()
    def _done(self):
        self._button.setEnabled(True)
        if self._bar.value() == 100:
            self._status.setText("done")

    def closeEvent(self, event):
        if self._thread is not None:
            self._thread.requestInterruption()
            self._thread.wait()
        super().closeEvent(event)
