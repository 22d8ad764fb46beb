"""Writes the files of this folder and cases.json, by which TestWriters reads them.

Each file is of a kind that public reports of bugs name, written by the program that its users have:

    pip install pyarrow==26.0.1 fastparquet==2026.9.0 polars==2.1.0 scipy==1.17.1 torch==2.11.0 \
        safetensors==0.8.0 tifffile==2026.3.3 imagecodecs==2026.3.6 pillow==13.0.0 zstandard==0.25.0
    python3 make.py

Indices are counted here, apart from the readers.
"""

import gzip
import json
import pathlib
import pickle
import struct
import zlib

import fastparquet
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import safetensors.numpy
import scipy.io
import scipy.sparse
import tifffile
import torch
import zstandard
from PIL import Image

here = pathlib.Path(__file__).parent
cases = []


def case(file, want, **options):
    """Notes the indices of a file, -1 for padding, or words that its error must have."""
    one = {"file": file, "options": options}
    if isinstance(want, str):
        one["words"] = want.split()
    else:
        indices = np.asarray(want).astype(np.uint32)
        one["updates"], one["crc32"] = len(indices), zlib.crc32(indices.tobytes())
    cases.append(one)
    return str(here / file)


key = np.arange(120) ** 2 % 97
gaps = [None if i % 7 == 0 else int(v) for i, v in enumerate(key)]
padded = [-1 if v is None else v for v in gaps]
flags = key % 2 == 1
lists = [[int(v)] * (i % 3) if i % 5 else None for i, v in enumerate(key[:60])]
elements = [v for one in lists if one for v in one]
pairs = [[int(v), int(v) + 1] for v in key[:40]]
null = {"Column": "key", "Ignore": "null"}


def parquet():
    def write(file, values, want, **how):
        pq.write_table(pa.table({"key": values}), case(file, want), **how)

    table = pa.table({"key": pa.array(gaps), "weight": key / 2})
    path = case("empty-group-between.parquet", padded, **null)
    case("empty-group-between.parquet", "key row 0 null", Column="key")
    with pq.ParquetWriter(path, table.schema) as w:
        for part in (table.slice(0, 50), table.slice(0, 0), table.slice(50)):
            w.write_table(part)
    write("large-list.parquet", pa.array(lists, pa.large_list(pa.uint16())), elements)
    write("fixed-list.parquet", pa.array(pairs, pa.list_(pa.int32(), 2)), np.ravel(pairs))
    plain = {"use_dictionary": False}
    write("delta.parquet", key, key, column_encoding={"key": "DELTA_BINARY_PACKED"}, **plain)
    half = pa.array(key.astype(np.float16))
    write("half.parquet", half, key)
    write("half-split.parquet", half, key, column_encoding={"key": "BYTE_STREAM_SPLIT"}, **plain)
    for codec in ("zstd", "lz4", "gzip", "brotli"):
        want = "Brotli Zstandard" if codec == "brotli" else padded
        path = case(f"v2-{codec}.parquet", want, **null)
        pq.write_table(table, path, compression=codec, data_page_version="2.0", data_page_size=200)
    write("flags.parquet", flags, flags)
    write("flags-v2.parquet", flags, flags, data_page_version="2.0")
    many = np.concatenate([key, np.arange(1000, 1200)])
    small = {"data_page_size": 64, "write_batch_size": 32}
    write("beyond-dictionary.parquet", many, many, dictionary_pagesize_limit=64, **small)
    write("decimal.parquet", pa.array(key[:9]).cast(pa.decimal128(20, 0)), "decimal whole")
    nullable = pd.DataFrame({"key": pd.array(gaps, "Int64"), "weight": key / 2})
    fastparquet.write(case("fastparquet.parquet", padded, **null), nullable)
    cities = pd.DataFrame({"city": pd.Categorical(["Rome", "Oslo"] * 60)})
    fastparquet.write(case("fastparquet-category.parquet", "city string"), cities)
    frame = pl.DataFrame({"key": pl.Series(gaps, dtype=pl.Int16), "weight": key / 2})
    path = case("polars.parquet", padded, **null)
    frame.write_parquet(path, row_group_size=64, data_page_size=64)


def arrow():
    def write(file, arrays, want, name="key", **how):
        path = case(file, want, **how.pop("options", {}))
        new = pa.ipc.new_file if file.endswith(".arrow") else pa.ipc.new_stream
        with new(
            path, pa.schema({name: arrays[0].type}), options=pa.ipc.IpcWriteOptions(**how)
        ) as w:
            for array in arrays:
                w.write(pa.record_batch([array], names=[name]))

    whole = pa.array(gaps)
    slices, want = [whole.slice(3, 50), whole.slice(0, 0), whole.slice(61, 40)], padded[
        3:53
    ] + padded[61:101]
    write("slices-zstd.arrow", slices, want, compression="zstd", options=null)
    write("slices-lz4.arrows", slices, want, compression="lz4", options=null)
    few, more = np.array([5, 6, 7]), np.array([5, 6, 7, 80])
    numbers = [key % 3, key % 4]
    dictionaries = [
        pa.DictionaryArray.from_arrays(pa.array(n, pa.int8()), pa.array(entries))
        for n, entries in zip(numbers, (few, more), strict=True)
    ]
    want = np.concatenate([few[numbers[0]], more[numbers[1]]])
    for file in ("dictionary-delta.arrow", "dictionary-delta.arrows"):
        write(file, dictionaries, want, emit_dictionary_deltas=True)
    write(
        "dictionary-replaced.arrows", dictionaries[::-1], np.concatenate([want[120:], want[:120]])
    )
    want = [v for one in lists[7:37] if one for v in one]
    for file, kind in (("list-slice.arrow", pa.list_), ("large-list-slice.arrows", pa.large_list)):
        write(file, [pa.array(lists, kind(pa.int64())).slice(7, 30)], want)
    fixed = pa.array(pairs, pa.list_(pa.int32(), 2))
    write("fixed-list-slice.arrow", [fixed.slice(5, 20)], np.ravel(pairs[5:25]))
    write("flags-slice.arrow", [pa.array(flags).slice(3)], flags[3:])
    write("category.arrow", [pa.array(["Rome", "Oslo"]).dictionary_encode()], "dictionary utf8")
    views = pa.array([v or [] for v in lists], pa.list_view(pa.int32()))
    write("list-view.arrow", [views], "list view")
    table = pa.table({"key": pa.array(gaps), "weight": key / 2})
    pa.feather.write_feather(table, case("feather.feather", padded, **null))
    frame = pl.DataFrame({"key": pl.Series(gaps, dtype=pl.Int16), "city": ["Rome"] * 120})
    frame.write_ipc_stream(case("polars.arrows", padded, **null), compression="lz4")
    rows = pl.DataFrame({"ids": pl.Series(pairs, dtype=pl.Array(pl.UInt8, 2))})
    rows.write_ipc(case("polars-array.arrow", np.ravel(pairs)))


def arrays():
    np.savez(case("several.npz", key, Array="index"), weight=key[:9] / 2, index=key)
    np.save(case("big-endian.npy", key), key.astype(">u2"))
    np.save(case("flags.npy", flags), flags)
    missing = np.array([3, np.nan, 4])
    np.save(case("missing.npy", [3, -1, 4], Ignore="null"), missing)
    case("missing.npy", "NaN update 1 --ignore null")
    np.save(case("records.npy", "records"), np.zeros(5, [("key", "i4"), ("weight", "f4")]))
    matrix = scipy.sparse.random(40, 30, 0.1, random_state=1)
    rows = scipy.sparse.csr_matrix(matrix)
    scipy.sparse.save_npz(case("csr.npz", rows.indices, Array="indices"), rows)
    case("csr.npz", np.repeat(np.arange(40), np.diff(rows.indptr)), CSR=True)
    case("csr.npz", "--array indices --csr")
    scipy.sparse.save_npz(case("coo.npz", matrix.row, Array="row"), matrix)
    square = np.triu(matrix.toarray()[:30, :30], 1)
    both = square + square.T

    def market(file, array, **how):
        scipy.io.mmwrite(here / file, scipy.sparse.coo_matrix(array), **how)
        rows, cols = zip(
            *[map(int, line.split()[:2]) for line in open(here / file) if line[0] != "%"][1:],
            strict=True,
        )
        mirrored = how.get("symmetry", "general") != "general"
        stored = zip(rows, cols, strict=True)
        case(file, [i - 1 for a, b in stored for i in ((a, b) if mirrored and a != b else (a,))])

    market("symmetric-pattern.mtx", both, symmetry="symmetric", field="pattern")
    market("skew.mtx", square - square.T, symmetry="skew-symmetric")
    market("unsigned.mtx", (both * 9).astype(np.uint32), symmetry="general")
    index = torch.from_numpy(key)
    torch.save(index.to(torch.uint16), case("uint16.pt", key))
    torch.save(
        {"index": index, "weight": torch.nn.Parameter(torch.ones(3))},
        case("parameter.pt", key, Array="index"),
    )
    sparse = torch.sparse_coo_tensor(
        torch.stack([index[:9], index[1:10]]), torch.ones(9), check_invariants=True
    )
    torch.save(sparse, case("sparse.pt", "sparse tensors alone"))
    several = {"index": key.astype(np.uint16), "weight": key[:9] / 2, "none": np.zeros(0, np.int32)}
    safetensors.numpy.save_file(several, case("several.safetensors", key, Array="index"))
    case("several.safetensors", "--array index weight")


def images():
    grey = key.reshape(10, 12).astype(np.uint8)
    classes = grey % 7
    deep = grey.astype(np.uint16) * 500
    tifffile.imwrite(
        case("pages.tif", "several pages"), np.stack([grey, grey]), photometric="minisblack"
    )
    tifffile.imwrite(case("deep-lzw.tif", deep.ravel()), deep, compression="lzw")
    tifffile.imwrite(case("deep-tiles.tif", deep.ravel()), deep, tile=(16, 16), byteorder=">")
    tifffile.imwrite(case("white-is-zero.tif", grey.ravel()), grey, photometric="miniswhite")
    tifffile.imwrite(case("labels32.tif", "32 npy"), grey.astype(np.uint32))
    tifffile.imwrite(case("big.tif", "BigTIFF TIFF"), grey, bigtiff=True)
    palette = Image.frombytes("P", (12, 10), classes.tobytes())
    palette.putpalette([255, 0, 0, 0, 255, 0, 0, 0, 255, 1, 1, 1, 2, 2, 2, 1, 1, 1, 9, 9, 9])
    palette.save(case("palette-alpha.png", classes.ravel()), transparency=0)
    alpha = Image.merge("LA", (Image.fromarray(classes), Image.fromarray(255 - grey)))
    alpha.save(case("alpha.png", classes.ravel()))
    Image.fromarray(flags.reshape(10, 12)).save(case("bits.png", flags))
    Image.fromarray(grey).save(case("grey.webp", "WebP PNG"))


def text():
    def write(file, content, want, **options):
        path = case(file, want, **options)
        pathlib.Path(path).write_bytes(content if isinstance(content, bytes) else content.encode())

    rows = "key;weight\r\n" + "".join(f"{v};0,5\r\n" for v in key)
    write("semicolons.csv", "\ufeff" + rows, key, Column="key")
    write("utf16.csv", rows.encode("utf-16"), key, Column="key")
    write("excel.csv", "sep=;\r\n" + rows, key, Column="key")
    write(
        "excel-fault.csv",
        "sep=|\nkey|weight\n1|x\n2|x\nthree|x\n",
        ":5: three --keys",
        Column="key",
    )
    missing = "key,weight\n" + "".join(f"{'NA' if v is None else v},1\n" for v in gaps)
    write("missing.csv", missing, padded, Column="key", Ignore="NA")
    case("missing.csv", ":2: NA --ignore", Column="key")
    frame = pd.DataFrame({"key": pd.array(gaps, "Int64"), "weight": 1})
    frame.to_csv(case("pandas.csv", padded, **null))
    lines = "".join(f"{v}\n" for v in key).encode()
    write("returns.txt", lines.replace(b"\n", b"\r"), "carriage line")
    write(
        "members.txt.gz",
        gzip.compress(lines[:50], mtime=0) + gzip.compress(lines[50:], mtime=0),
        key,
    )
    write("lines.txt.zst", zstandard.compress(lines), "Zstandard unpack")
    faces = key.reshape(-1, 3)
    write("faces.txt", "".join(f"{a} {b} {c}\n" for a, b, c in faces), "3 whole --axis row col")
    case("faces.txt", faces[:, 1], Axis="col")
    write("list.json", json.dumps(key.tolist()), "JSON npy line")
    write(
        "objects.jsonl", "".join(json.dumps({"key": int(v)}) + "\n" for v in key), "JSON npy line"
    )
    write("array.pkl", pickle.dumps(key), "pickle npy")
    write("vectors.ivecs", b"".join(struct.pack("<i3i", 3, *v) for v in faces), "vectors npy")


for kind in (parquet, arrow, arrays, images, text):
    kind()
(here / "cases.json").write_text(json.dumps(cases, indent=1) + "\n")
