package input

import (
	"github.com/atomtune/atomtune/internal/command/report"
)

const (
	// mostExpansion is how many times the bytes read of an input its updates take without a warning, at
	// four bytes each: more than an array packs to that is not a single value, by gzip at least.
	mostExpansion = 1000
	// longExpansion is that where they take longBytes and more.
	longExpansion, longBytes = 32, 1 << 30
	// endlessBytes is how much is read without a warning of an input whose length is not known.
	endlessBytes = 1 << 28
	// gapBytes are read without an update before a warning, and before each further one.
	gapBytes = 64 << 20
)

// expansion warns once of an input that is far smaller than its stream, and of one without an end in
// sight: they take long to read. It notes how much is read without an update.
type expansion struct {
	read    func() int64 // bytes of the input so far
	warn    func(format string, args ...any)
	bytes   int64 // of updates so far
	told    bool
	endless bool // the warning of that has been given
	note    func(gap int64)
	noted   int64 // the gap of the last note
}

// watch is told how much is read of an input whose length is not known, and how much since the last update.
func (x *expansion) watch(read, gap int64) {
	if gap < gapBytes {
		x.noted = 0
	} else if gap-x.noted >= max(gapBytes, x.noted/8) {
		x.noted = gap
		x.note(gap)
	}
	if !x.endless && read > endlessBytes {
		x.endless = true
		x.warn("more than %s are read, and its length is not known; --%s uses only the first updates",
			report.UnitsBytes(endlessBytes), maxUpdates)
	}
}

func (x *expansion) add(updates int) {
	x.bytes += 4 * int64(updates)
	read := x.read()
	long := x.bytes > longBytes && x.bytes/longExpansion > read
	if x.told || read == 0 || !long && x.bytes/mostExpansion <= read {
		return
	}
	x.told = true
	x.warn("its first %s decompress to %s of updates, so all of it may take long; --%s uses only the first ones",
		report.UnitsBytes(read), report.UnitsBytes(x.bytes), maxUpdates)
}
