"""What PyTorch offers for the same task, timed as the calls of the library are."""

import torch

import library

DTYPES = {"f32": torch.float32, "f64": torch.float64, "u32": torch.int32}
WAIT_US, MOST_WAIT_US = 100, 1600


class Task:
    """A stream with the targets of one kind of call and what they must become."""

    def __init__(self, kind, index, narrow, values, bins, total, count):
        self.kind, self.index, self.narrow, self.bins = kind, index, narrow, bins
        dtype = DTYPES[kind.type]
        self.values = None if kind.ones else values.to(dtype)
        self.out = torch.zeros(bins, dtype=dtype, device=index.device)
        self.sum, self.count = count if kind.ones else total, count

    def problem(self):
        """The task as the library takes it. PyTorch has no unsigned targets: the bits of
        signed sums are those of unsigned ones."""
        return library.Problem(
            out=self.out.data_ptr(), index=self.narrow.data_ptr(), wide=self.index.data_ptr(),
            values=None if self.kind.ones else self.values.data_ptr(), bins=self.bins,
            updates=len(self.index), sum=self.sum.data_ptr(), count=self.count.data_ptr())


class Rival:
    """An operation of PyTorch on a task."""

    def __init__(self, name, task, run):
        self.name, self.task, self.run = name, task, run

    def wrong(self, lib):
        """Runs the operation on cleared targets and counts those that are wrong."""
        self.task.out.zero_()
        result = self.run()
        if result is not self.task.out:
            self.task.out.copy_(result)
        return lib.check()


def of_torch(task):
    """The operations that do a task."""
    out, index, values = task.out, task.index, task.values
    if task.kind.ones:
        return [Rival("torch.bincount", task,
                      lambda: torch.bincount(index, minlength=task.bins))]
    return [Rival("torch.scatter_add_", task, lambda: out.scatter_add_(0, index, values)),
            Rival("torch.index_add_", task, lambda: out.index_add_(0, index, values))]


class Clock:
    """Times operations between two events, the host ahead of the device where it can be."""

    def __init__(self, lib):
        self.lib, self.wait_us, self.reaches = lib, WAIT_US, True
        self.start = torch.cuda.Event(enable_timing=True)
        self.stop = torch.cuda.Event(enable_timing=True)

    def once(self, run):
        """Returns the microseconds of a call, and whether the host was ahead."""
        self.lib.wait(self.wait_us)
        self.start.record()
        run()
        self.stop.record()
        hidden = not self.start.query()
        self.stop.synchronize()
        return 1e3 * self.start.elapsed_time(self.stop), hidden

    def time(self, run):
        """Gives the host more time until it is enough. An operation that waits for the device
        itself is never ahead."""
        us, hidden = self.once(run)
        while not hidden and self.reaches:
            if 2 * self.wait_us > MOST_WAIT_US:
                self.wait_us, self.reaches = WAIT_US, False
            else:
                self.wait_us *= 2
            us, hidden = self.once(run)
        return us, hidden


def time_rival(lib, rival, slow_us, repeats, few):
    """Returns the times of an operation in microseconds, and whether launching was hidden."""
    clock = Clock(lib)
    first, _ = clock.time(rival.run)
    if first <= slow_us:
        clock.time(rival.run)
    timed = [clock.time(rival.run) for _ in range(few if first > slow_us else repeats)]
    return [us for us, _ in timed], all(hidden for _, hidden in timed)
