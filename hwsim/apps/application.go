// Package apps simulates the programs of the papers that are no implementation of an
// update stream: the applications of [egielski14], the voting processes of
// [gomezluna13], the hash tables and the steps of [westphal15], and the copy of
// [elteir11]. The references are those of package hwsim.
package apps

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/variant"
)

// Application is one of the five applications of [egielski14] section 4.
type Application uint8

// The applications.
const (
	Histogram     Application = iota
	SpMV                      // sparse matrix times vector, COO sorted by row
	MergeSort                 // local sorts and merges, with duplicates counted once
	PageViewCount             // distinct (page, visitor) pairs, then a count per page
	Summation                 // one sum, or atomics on a compacted output array
)

// Level says where the counters of a histogram lie.
type Level uint8

// The levels, called no-private, block-private and warp-private in [egielski14].
const (
	NoPrivate Level = iota
	BlockPrivate
	WarpPrivate
)

// AppConfig says which form of which application runs on which device.
type AppConfig struct {
	Device      *device.Profile
	Application Application
	Type        device.Type // of the values; Histogram counts in u32
	Level       Level       // Histogram alone
	// Original is the application's form without atomic updates of shared data,
	// as the paper's source has it. Otherwise Method says how it updates: naive, sr,
	// vr, ss or sr+ss.
	Original bool
	Method   variant.Variant
	Seed     uint64
	// Relaid leaves out the host's time for re-laying the updates of ss.
	Relaid bool
}

// AppInput is what an application runs on.
type AppInput struct {
	// Keys are the pixels of a histogram, the rows of a matrix's elements in
	// ascending order, the keys to sort, or the numbers of the pages viewed. Of a
	// summation their number alone counts: its elements are drawn from the seed.
	Keys []uint32
	// Others are the columns of a matrix's elements, or the numbers of the visitors.
	Others []uint32
	// Bins is the number of targets: bins, rows, pages, or the sums of the
	// compacted output array. Sorting has none.
	Bins uint64
	// Width is the number of columns, or of visitors.
	Width uint64
}

// AppResult is the outcome of an application. US is the time of all its
// launches in line; Correct says that the output equals a serial reference.
type AppResult struct {
	US               float64
	HostUS           float64 // part of US
	WarpInstructions uint64
	Events           uint64
	Kernels          []hwsim.KernelTime
	Correct          bool
}

// RunApplication simulates one application. Errors wrap device.ErrCannot,
// ErrStream or ErrSimulation.
func RunApplication(cfg AppConfig, in AppInput) (AppResult, error) {
	if cfg.Device == nil {
		return AppResult{}, fmt.Errorf("%w: no device", hwsim.ErrStream)
	}
	switch cfg.Application {
	case Histogram:
		return runHistogram(cfg, in)
	case SpMV:
		return runSpMV(cfg, in)
	case MergeSort:
		return runMergeSort(cfg, in)
	case PageViewCount:
		return runPageViewCount(cfg, in)
	case Summation:
		return runSummation(cfg, in)
	}
	return AppResult{}, fmt.Errorf("%w: no application %d", hwsim.ErrStream, cfg.Application)
}

// operand is a register of a program, or an immediate.
type operand = machine.Operand

func imm(v uint64) operand { return machine.Imm(v) }
