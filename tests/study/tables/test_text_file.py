"""Text files are read as they come, and refused with the line where they cannot be."""

import gzip
import io

import pytest

from surefit.study.tables.read import read_table
from surefit.study.tables.table import TableError
from surefit.study.tables.text_file import separator_of, text_blocks


def written(folder, content, name="table.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separators_are_found_out(tmp_path, separator):
    lines = [separator.join(row) for row in (["a", "b"], ["1", "x y"], ["2", "z"])]
    table = read_table(written(tmp_path, "\n".join(lines)))
    assert table.names == ("a", "b")
    assert table["b"].levels == ("x y", "z")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings_are_found_out(tmp_path, encoding):
    table = read_table(written(tmp_path, "größe,b\n1,é\n2,ü\n".encode(encoding)))
    assert table.names == ("größe", "b")
    assert table["b"].levels == ("é", "ü")


def test_gzip_is_told_by_its_content_and_not_by_its_name(tmp_path):
    table = read_table(written(tmp_path, gzip.compress(b"a,b\n1,2\n")))
    assert table.n_rows == 1
    assert "gzip" in table.reading


def test_quotes_keep_separators_and_line_ends_inside_a_field(tmp_path):
    table = read_table(written(tmp_path, 'a,b\n"x, y","two\nlines"\n1,"say ""hi"""\n'))
    assert table["a"].levels == ("1", "x, y")
    assert table["b"].levels == ('say "hi"', "two\nlines")


def test_blank_lines_are_no_rows(tmp_path):
    assert read_table(written(tmp_path, "\n\na,b\n1,2\n\n3,4\n\n")).n_rows == 2


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is empty"),
        ("a,b\n1,2,3\n", "line 2: 3 fields where the header has 2"),
        ("a,b\n1,2\n3\n", "line 3: 1 field where the header has 2"),
        ("a,a\n1,2\n", "2 columns are called 'a'"),
        ('a,b\n"1,2\n', "close its quotes"),
        (b"\x00\x01\x02", "not a text file"),
        (b"PK\x03\x04rest", "Excel"),
        (b"\x1f\x8b\x08\x00broken", "gzip"),
    ],
)
def test_refusals_say_what_is_wrong(tmp_path, content, said):
    with pytest.raises(TableError, match=said):
        read_table(written(tmp_path, content))


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(TableError, match="there is no file"):
        read_table(str(tmp_path / "nowhere.csv"))
    with pytest.raises(TableError, match="is a folder"):
        read_table(str(tmp_path))


def test_the_separator_is_the_one_by_which_lines_agree():
    assert separator_of("a;b;c\n1,5;2,5;3\n4,1;5;6,2\n") == ";"


def test_a_stream_may_be_closed_before_its_blocks_are_left():
    """As an interrupt does it: the stream is closed on the way out, the blocks when nobody holds them any more."""
    stream = io.BufferedReader(io.BytesIO(b"x,y\n" + b"1,2\n" * 50_000))
    blocks = text_blocks(stream, "table")
    next(blocks)
    stream.close()
    blocks.close()
