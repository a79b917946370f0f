# SPDX-License-Identifier: MIT
"""Tables: rows that a notebook shows, and columns of numbers."""

from __future__ import annotations

import csv
import dataclasses
import html
import os
from typing import TYPE_CHECKING, Any, Iterable, Iterator, List, Sequence, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas

Row = TypeVar("Row")
MAX_ROWS = 20  # of a Table that a notebook shows


def to_html(names: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """A table for a notebook."""
    def line(cells: Iterable[object], tag: str) -> str:
        texts = (html.escape("" if cell is None else str(cell)) for cell in cells)
        return f"<tr>{''.join(f'<{tag}>{text}</{tag}>' for text in texts)}</tr>"
    return f"<table>{line(names, 'th')}{''.join(line(row, 'td') for row in rows)}</table>"


def field_names(row: Any) -> Iterator[str]:
    """Of a dataclass or one of its objects."""
    return (field.name for field in dataclasses.fields(row))


class Rows(List[Row]):
    """A list of dataclasses that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        names = list(field_names(self[0])) if self else []
        return to_html(names, ([_cell(getattr(row, name)) for name in names] for row in self))


def _cell(value: object) -> object:
    return ", ".join(map(str, value)) if isinstance(value, (dict, tuple)) else value


class Table:
    """Columns of numbers, one row per frame: table["time"] is an array."""

    def __init__(self, columns: dict[str, NDArray[Any]]) -> None:
        self.columns = columns

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        """The number of rows."""
        return len(next(iter(self.columns.values())))

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame with these columns."""
        import pandas
        return pandas.DataFrame(self.columns)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Writes a file with a line of names and a line per row. Numbers are exact."""
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self.columns)
            writer.writerows(zip(*(column.tolist() for column in self.columns.values())))

    def __repr__(self) -> str:
        return f"<vksim.Table, {len(self)} rows: {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        columns = [column[:MAX_ROWS].tolist() for column in self.columns.values()]
        rest = f"<p>{len(self)} rows</p>" if len(self) > MAX_ROWS else ""
        return to_html(list(self.columns), zip(*columns)) + rest
