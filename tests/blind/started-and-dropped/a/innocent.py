"""Status window of the recorder."""
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLabel, QMainWindow, QPushButton, QVBoxLayout, QWidget


class MainWindow(QMainWindow):
    """Shows levels and short messages."""

    def __init__(self, recorder):
        super().__init__()
        self._recorder = recorder
        self._level = QLabel("0 dB")
        self._banner = QLabel()
        self._banner.hide()

        button = QPushButton("Record")
        button.clicked.connect(self.toggle)

        column = QVBoxLayout()
        for widget in (self._banner, self._level, button):
            column.addWidget(widget)
        central = QWidget()
        central.setLayout(column)
        self.setCentralWidget(central)

        self._poll = QTimer(self)
        self._poll.setInterval(50)
        self._poll.timeout.connect(self.refresh)
        self._poll.start()

    def refresh(self):
        self._level.setText(f"{self._recorder.level():.0f} dB")

    def toggle(self):
        if self._recorder.active:
            self._recorder.stop()
            self.show_message(f"Saved {self._recorder.path}")
        else:
            self._recorder.start()
            self.show_message("Recording")

    def show_message(self, text, seconds=3.0):
        self._banner.setText(text)
        self._banner.show()
        timer = QTimer(self)
        timer.timeout.connect(timer.deleteLater)
        timer.setSingleShot(True)
        timer.timeout.connect(self._banner.hide)
        timer.start(int(seconds * 1000))
