"""The sample of an index stream, and the features that a dispatch tree reads of it.

The places and the arithmetic are those of the CUDA call, so that both reach the same leaf.
"""

WARP = 32
WARPS = 16  # sampled at most
SINGLES = 2048  # sampled at most
COUNTERS = 8192
REPEATED = 4
SECTOR_BYTES = 32
NO_TARGET = 2**32 - 1  # an index that is out of range or ignored

NAMES = ("updates", "bins", "type", "one", "returns", "distinct", "highest", "runs", "sectors",
         "top", "pairs", "repeated", "used")
TYPES = {"i32": 0, "u32": 0, "f32": 1, "i64": 2, "u64": 2, "f64": 3}


def _place(j, of, parts):
    """The j-th sampled place of so many, in the j-th of equal parts."""
    if of <= parts:
        return j
    within = ((j * 2654435769 & 0xFFFFFFFF) * of & 0xFFFFFFFFFFFFFFFF) >> 32
    return (j * of + within) // parts


def warp_places(n):
    """The first updates of the sampled warps of n updates."""
    whole = n // WARP
    return [_place(j, whole, WARPS) * WARP for j in range(min(WARPS, whole))]


def single_places(n):
    """The sampled single updates of n."""
    return [_place(j, n, SINGLES) for j in range(min(SINGLES, n))]


def features(index, bins, type="f32", one=False, returns=False, ignore=None):
    """The features of a call, by name and in their order.

    index is a list, a NumPy array or a torch tensor of one dimension. Only the sampled
    entries are read.
    """
    n = len(index)
    warps, singles = warp_places(n), single_places(n)
    places = [first + lane for first in warps for lane in range(WARP)] + singles
    targets = [_target(i, bins, ignore) for i in _gather(index, places)]
    bytes_each = 4 if TYPES[type] < 2 else 8
    known = (min(n, NO_TARGET), min(bins, NO_TARGET), TYPES[type], int(one), int(returns))
    sums = _warp_sums(targets[:len(warps) * WARP], bytes_each)
    counts = _counter_sums(targets[len(warps) * WARP:])
    return dict(zip(NAMES, known + sums + counts))


def _target(i, bins, ignore):
    return i if 0 <= i < bins and i != ignore else NO_TARGET


def _gather(index, places):
    """The entries of index at places as a list of int."""
    if hasattr(index, "device") and hasattr(index, "cpu"):  # a torch tensor
        return index[index.new_tensor(places).long()].cpu().tolist() if places else []
    if hasattr(index, "dtype"):  # an array
        return index[places].tolist() if places else []
    return [int(index[p]) for p in places]


def _warp_sums(targets, bytes_each):
    """distinct, highest, runs, sectors, summed over warps and scaled to 16 of them."""
    warps = len(targets) // WARP
    sums = [0, 0, 0, 0]
    for first in range(0, len(targets), WARP):
        lanes = targets[first:first + WARP]
        counts = {}
        for t in lanes:
            counts[t] = counts.get(t, 0) + 1
        sums[0] += len(counts)
        sums[1] += max(counts.values())
        sums[2] += 1 + sum(a != b for a, b in zip(lanes, lanes[1:]))
        sums[3] += len({t * bytes_each // SECTOR_BYTES for t in lanes})
    return tuple(s * WARPS // warps for s in sums) if warps else (0, 0, 0, 0)


def _counter_sums(targets):
    """top, pairs, repeated, used of the counters, scaled to 2,048 updates."""
    m = len(targets)
    if m == 0:
        return (0, 0, 0, 0)
    counts = [0] * COUNTERS
    for t in targets:
        counts[(t * 2246822519 & 0xFFFFFFFF) >> 19] += 1
    top = max(counts)
    pairs = sum(c * (c - 1) // 2 for c in counts)
    repeated = sum(c for c in counts if c >= REPEATED)
    used = sum(c > 0 for c in counts)

    def scaled(x):
        return x * SINGLES // m

    return tuple(min(x, NO_TARGET)
                 for x in (scaled(top), scaled(scaled(pairs)), scaled(repeated), scaled(used)))
