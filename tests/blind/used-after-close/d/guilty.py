"""Comic books (.cbz): pages in reading order and a contact sheet."""

import io
import re
import zipfile
from pathlib import Path, PurePosixPath

from PIL import Image

PICTURES = {".jpg", ".jpeg", ".png", ".webp"}


def reading_order(name):
    return [int(part) if part.isdigit() else part.lower() for part in re.split(r"(\d+)", name)]


def picture_names(archive):
    names = (info.filename for info in archive.infolist() if not info.is_dir())
    return sorted(
        (name for name in names if PurePosixPath(name).suffix.lower() in PICTURES),
        key=reading_order,
    )


def cover_of(path):
    with zipfile.ZipFile(path) as archive:
        names = picture_names(archive)
        if not names:
            raise LookupError(f"{path} has no pictures")
        return Image.open(io.BytesIO(archive.read(names[0])))


def pages_of(path, first=0, last=None):
    """The encoded pages of a book as (name, bytes)."""
    try:
        with zipfile.ZipFile(path) as archive:
            chosen = picture_names(archive)[first:last]
            return ((name, archive.read(name)) for name in chosen)
    except zipfile.BadZipFile as error:
        raise LookupError(f"{path} is not a comic book") from error


def contact_sheet(path, columns=4, size=160):
    thumbnails = []
    for _, encoded in pages_of(path, last=columns * columns):
        picture = Image.open(io.BytesIO(encoded)).convert("RGB")
        picture.thumbnail((size, size))
        thumbnails.append(picture)
    sheet = Image.new("RGB", (columns * size, columns * size), "white")
    for position, picture in enumerate(thumbnails):
        row, column = divmod(position, columns)
        sheet.paste(picture, (column * size, row * size))
    return sheet


def sheets(folder):
    for book in sorted(Path(folder).glob("*.cbz")):
        yield book.stem, contact_sheet(book)
