"""Makes index streams of real files, for scatter.py.

    python3 real.py --out /dev/shm/streams/real FILE...

    .png              histograms: grey levels, each colour, colours together, neighbours in a row
    .mtx              sparse matrices: sums of rows and of columns
    .txt              edge lists: sums of both ends. With blanks before the numbers: points
    .xyz              points, in the cells of grids of 16, 64 and 128 cells an edge
    .ply              sums of the vertices of faces
    .bin              vectors of floats after their number and length: bins of each column

Each may be compressed by gzip. Streams of fewer than 65,536 updates are left out."""

import argparse
import csv
import gzip
import os
import sys

import numpy
from PIL import Image

FEWEST = 1 << 16


def text_of(path):
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path, encoding="utf-8")
    with opened as lines:
        return lines.read().splitlines()


def numbers_of(lines):
    """A table of the numbers on lines that begin with no comment."""
    return numpy.array([line.split() for line in lines if line and line[0] not in "%#"],
                       dtype=float)


def levels_of(path):
    """Grey levels and, of a colour image, the levels of each colour."""
    pixels = numpy.asarray(Image.open(path)).astype(numpy.uint32)
    if pixels.ndim == 2:
        return pixels, None
    red, green, blue = (pixels[:, :, c] for c in range(3))
    return (299 * red + 587 * green + 114 * blue) // 1000, (red, green, blue)


def image(path):
    grey, colours = levels_of(path)
    yield "grey", grey, 256
    if grey.size > grey.shape[0]:
        yield "neighbours", grey[:, :-1] * 256 + grey[:, 1:], 1 << 16
    if colours is not None:
        for name, levels in zip(("red", "green", "blue"), colours):
            yield name, levels, 256
        for bits in (4, 5):
            red, green, blue = (levels >> (8 - bits) for levels in colours)
            bins = 1 << 3 * bits
            yield f"colours{bins}", (red << 2 * bits) + (green << bits) + blue, bins


def matrix(path):
    """Rows and columns of the entries, a symmetric one's mirrored entries right after theirs."""
    lines = text_of(path)
    symmetric = "symmetric" in lines[0]
    body = [line.split()[:2] for line in lines if line and line[0] != "%"]
    shape = [int(word) for word in body[0]]
    at = numpy.array(body[1:], dtype=numpy.int64) - 1
    if symmetric:
        both = numpy.stack([at, at[:, ::-1]], axis=1).reshape(-1, 2)
        twice = numpy.repeat(at[:, 0] != at[:, 1], 2)
        twice[0::2] = True
        at = both[twice]
    yield "row", at[:, 0], shape[0]
    yield "col", at[:, 1], shape[1]


def cells(points, edge):
    """The cell of each point in a grid of edge cells along each axis over their bounding box."""
    low, high = points.min(axis=0), points.max(axis=0)
    place = numpy.minimum((points - low) / (high - low) * edge, edge - 1).astype(numpy.int64)
    cell = numpy.zeros(len(points), dtype=numpy.int64)
    for axis in range(points.shape[1]):
        cell = cell * edge + place[:, axis]
    return cell, edge ** points.shape[1]


def table(path):
    lines = text_of(path)
    numbers = numbers_of(lines)
    if lines[0].startswith(" "):
        yield from grids(numbers)
        return
    ends = numbers.astype(numpy.int64)
    bins = int(ends.max()) + 1
    yield "row", ends[:, 0], bins
    yield "col", ends[:, 1], bins


def grids(points):
    for edge in (16, 64, 128):
        cell, bins = cells(points, edge)
        yield f"grid{edge}", cell, bins


def cloud(path):
    yield from grids(numbers_of(text_of(path))[:, :3])


def mesh(path):
    lines = text_of(path)
    vertices = next(int(line.split()[2]) for line in lines if line.startswith("element vertex"))
    body = lines[lines.index("end_header") + 1:]
    faces = numpy.array([line.split()[1:4] for line in body[vertices:] if line],
                        dtype=numpy.int64)
    yield "vertices", faces, vertices


def vectors(path):
    """The bins of a tree's histogram: 256 equal steps of each column."""
    size, columns = numpy.fromfile(path, dtype="<i4", count=2)
    values = numpy.fromfile(path, dtype="<f4", offset=8).reshape(size, columns).astype(float)
    low, high = values.min(axis=0), values.max(axis=0)
    step = numpy.minimum((values - low) / (high - low) * 256, 255).astype(numpy.int64)
    yield "bins", step + 256 * numpy.arange(columns), 256 * int(columns)


READERS = {".png": image, ".mtx": matrix, ".txt": table, ".xyz": cloud, ".ply": mesh,
           ".bin": vectors}


def streams_of(path):
    base = path[:-3] if path.endswith(".gz") else path
    ending = os.path.splitext(base)[1]
    if ending not in READERS:
        raise ValueError(f"{path}: none of {', '.join(READERS)}")
    yield from READERS[ending](path)


def main(args):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--out", required=True, help="folder to write")
    parser.add_argument("files", nargs="+", metavar="FILE")
    flags = parser.parse_args(args)
    os.makedirs(flags.out, exist_ok=True)
    rows = []
    for path in flags.files:
        for what, index, bins in streams_of(path):
            index = numpy.ascontiguousarray(index).reshape(-1)
            if len(index) < FEWEST:
                continue
            file = f"{len(rows):03d}.u32"
            index.astype("<u4").tofile(os.path.join(flags.out, file))
            rows.append((f"{os.path.basename(path)}@{what}", len(index), bins, file))
    with open(os.path.join(flags.out, "streams.csv"), "w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([("label", "updates", "bins", "file")] + rows)
    print(f"{flags.out}: {len(rows)} streams")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (OSError, ValueError) as error:
        print(f"real.py: {error}", file=sys.stderr)
        sys.exit(1)
