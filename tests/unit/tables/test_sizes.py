"""Files that claim more than they hold are refused before memory is asked for."""

import gzip
import resource
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from bosco.errors import DataError
from bosco.tables import read_file, sizes, sources
from bosco.tables.sizes import require_sane_archive

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"


def workbook(path: Path, rows: str, part: str = "worksheets/sheet1.xml") -> Path:
    """The smallest workbook with one sheet."""
    relation = '<Relationship Id="r1" Type="{}/{}" Target="{}"/>'
    related = f'<Relationships xmlns="{PACKAGE}">{relation}</Relationships>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_rels/.rels", related.format(OFFICE, "officeDocument", "xl/workbook.xml"))
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>'
            '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
        )
        archive.writestr("xl/_rels/workbook.xml.rels", related.format(OFFICE, "worksheet", part))
        archive.writestr(
            f"xl/{part}",
            f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>',
        )
    return path


def row(number: int, *cells: str) -> str:
    return f'<row r="{number}">{"".join(cells)}</row>'


def cell(place: str, value: int = 1) -> str:
    return f'<c r="{place}"><v>{value}</v></c>'


FAR = {
    "two cells": cell("XFD1048576"),
    "small letters, other quotes": "<c r='xfd1048576'><v>1</v></c>",
    "spaces": '<c t="n"  r = "XFD1048576"><v>1</v></c>',
    "a sign in an attribute": """<c t='>' r="XFD1048576"><v>1</v></c>""",
    "a prefix": f'<q:c xmlns:q="{MAIN}" r="XFD1048576"><v>1</v></q:c>',
    "beyond all sheets": cell("A4000000000"),
}


@pytest.mark.parametrize("far", FAR.values(), ids=list(FAR))
def test_a_workbook_of_two_cells_far_apart_is_refused(far: str, tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", row(1, cell("A1")) + row(1048576, far))
    assert path.stat().st_size < 2000
    with pytest.raises(DataError, match="2 cells hold something"):
        read_file(path)
    other = workbook(tmp_path / "b.xlsx", row(1, cell("A1")) + row(9, far), "any/name")
    with pytest.raises(DataError, match="2 cells hold something"):
        read_file(other)


def test_the_process_lives(tmp_path: Path) -> None:
    """Under a limit of memory that the reader of workbooks would abort at."""
    path = workbook(tmp_path / "a.xlsx", row(1, cell("A1")) + row(1048576, cell("XFD1048576")))
    code = "import sys; from bosco.tables import read_file; read_file(sys.argv[1])"
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)),
    )
    assert done.returncode == 1
    assert "DataError" in done.stderr


def test_what_is_only_coloured_lies_where_it_likes(tmp_path: Path) -> None:
    """Cells without a value, rows without cells, cells that do not say their place."""
    table = row(1, cell("A1"), cell("B1")) + row(2, cell("A2", 5), cell("B2", 6))
    coloured = row(1048576, '<c r="XFD1048576" s="1"/>', '<c r="XFD1048575" s="1"></c>')
    found = read_file(workbook(tmp_path / "a.xlsx", table + coloured))
    assert found.table.shape == (2, 2)
    implied = "<row><c><v>1</v></c><c><v>2</v></c></row>" * 2
    assert read_file(workbook(tmp_path / "b.xlsx", implied)).table.shape == (2, 2)


def test_a_sheet_of_many_cells_is_no_claim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizes, "MOST_EMPTY", 100)
    monkeypatch.setattr(sizes, "_PIECE", 1000)  # places that lie across two pieces
    rows = "".join(row(i, cell(f"A{i}", i), cell(f"AB{i}", i)) for i in range(1, 400))
    require_sane_archive(str(workbook(tmp_path / "a.xlsx", rows)), "a.xlsx")


def test_a_workbook_that_unpacks_to_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if it lies about how much that is."""
    monkeypatch.setattr(sizes, "_UNPACKED", 100_000)
    path = workbook(tmp_path / "a.xlsx", row(1, cell("A1")) + " " * 10**6)
    with pytest.raises(DataError, match="100 times its size"):
        read_file(path)
    data = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        size = archive.getinfo("xl/worksheets/sheet1.xml").file_size
    lying = data.replace(size.to_bytes(4, "little"), (50).to_bytes(4, "little"))
    assert lying != data
    path.write_bytes(lying)
    with pytest.raises(DataError):
        read_file(path)


def test_packed_text_that_unpacks_to_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 100_000))
    assert read_file(path).table.num_rows == 100_000
    monkeypatch.setattr(sizes, "_UNPACKED", 1000)
    with pytest.raises(DataError, match="200 times its size"):
        read_file(path)
    assert sources._MOST_PACKED == 200


@pytest.mark.parametrize("form", ["jsonl", "json", "arff"])
def test_rows_that_share_no_column_are_refused(form: str, tmp_path: Path) -> None:
    n = 5000
    path = tmp_path / f"a.{form}"
    if form == "arff":
        names = "\n".join(f"@attribute k{i} numeric" for i in range(n))
        path.write_text(f"@relation r\n{names}\n@data\n" + "{0 1}\n" * n)
    else:
        rows = [f'{{"k{i}": 1}}' for i in range(n)]
        path.write_text("\n".join(rows) if form == "jsonl" else f"[{','.join(rows)}]")
    with pytest.raises(DataError, match="claims 5,000 rows of 5,000 columns"):
        read_file(path)
