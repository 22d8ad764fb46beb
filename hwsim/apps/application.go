// Package apps simulates the programs of the papers that are not an implementation of an
// update stream: the applications of [egielski14], the voting processes of
// [gomezluna13], the hash tables of [westphal15], its steps and its masks by a hash, and the
// copy of [elteir11]. The references are those of package hwsim.
//
// A new application is a file here and its rows in lab/papers/egielski14.
package apps

import (
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
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

// Level says where the counters of a histogram lie, in the names of [egielski14].
type Level uint8

const (
	NoPrivate Level = iota
	BlockPrivate
	WarpPrivate
	ThreadPrivate // of the original alone
)

// AppConfig says which form of which application runs on which device.
type AppConfig struct {
	Device      *device.Profile
	Application Application
	Type        device.Type // of the values; Histogram counts in u32
	Level       Level       // Histogram alone
	// Original is the application's form without atomic updates of shared data,
	// as the paper's source has it; of a histogram at ThreadPrivate, counters per
	// thread. Otherwise Method says how it updates: naive, sr,
	// vr, ss or sr+ss.
	Original bool
	Method   impl.Spec
	Seed     uint64
	// Relaid leaves out the host's time for re-laying the updates of ss.
	Relaid bool
	// FreeGather lets SpMV load the vector's entries in no time and from no memory: no texture
	// cache could do better.
	FreeGather bool
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
	Kernels          []hwsim.KernelTime
	Correct          bool
}

// The methods of updating that applications know.
var (
	methodNaive = impl.Spec{}
	methodSR    = impl.Spec{Reduction: impl.SR}
	methodVR    = impl.Spec{Reduction: impl.VR}
	methodSS    = impl.Spec{Scatter: true}
	methodSRSS  = impl.Spec{Reduction: impl.SR, Scatter: true}
	reductions  = []impl.Spec{methodNaive, methodSR, methodVR}
)

// applications says how each one runs, of which types its values are and what its input is
// called.
var applications = [...]struct {
	run           func(AppConfig, AppInput) (AppResult, error)
	types         []device.Type
	key, target   string // Keys, and what they are below; "" where they are below nothing
	other, others string // Others
	methods       []impl.Spec
}{
	Histogram: {run: runHistogram, types: []device.Type{device.U32}, key: "pixel", target: "bins",
		methods: reductions},
	SpMV: {run: runSpMV, types: []device.Type{device.F32, device.F64}, key: "row of element",
		target: "rows", other: "column of element", others: "columns",
		methods: append(reductions[:3:3], methodSS, methodSRSS)},
	MergeSort: {run: runMergeSort, types: device.Types(), methods: reductions},
	PageViewCount: {run: runPageViewCount, types: device.Types(), key: "page of view",
		target: "pages", other: "visitor of view", others: "visitors", methods: reductions},
	Summation: {run: runSummation, types: device.Types(), target: "sums", methods: reductions},
}

// RunApplication simulates one application. Errors wrap device.ErrCannot,
// ErrStream or ErrSimulation.
func RunApplication(cfg AppConfig, in AppInput) (AppResult, error) {
	if cfg.Device == nil {
		return AppResult{}, fmt.Errorf("%w: no device", hwsim.ErrStream)
	}
	if int(cfg.Application) >= len(applications) {
		return AppResult{}, fmt.Errorf("%w: no application %d", hwsim.ErrStream, cfg.Application)
	}
	if err := cfg.checkInput(in); err != nil {
		return AppResult{}, err
	}
	if !cfg.Original {
		if err := cfg.checkMethod(in); err != nil {
			return AppResult{}, err
		}
	}
	return applications[cfg.Application].run(cfg, in)
}

// checkInput reports an input that the application cannot run on. A page and a visitor make
// one key of 32 bits.
func (cfg AppConfig) checkInput(in AppInput) error {
	if err := (device.Call{Type: cfg.Type}).Validate(); err != nil {
		return err
	}
	a, n, widest := applications[cfg.Application], len(in.Keys), uint64(hwsim.MaxBins)
	if cfg.Application == PageViewCount {
		widest = machine.EmptyKey / max(1, in.Bins)
	}
	switch {
	case !slices.Contains(a.types, cfg.Type):
		return fmt.Errorf("%w: %s of type %s, want one of %v", hwsim.ErrStream, a.target, cfg.Type,
			a.types)
	case n == 0 || n > hwsim.MaxUpdates:
		return fmt.Errorf("%w: %d keys, want 1 to %d", hwsim.ErrStream, n, hwsim.MaxUpdates)
	case a.target != "" && (in.Bins == 0 || in.Bins > hwsim.MaxBins):
		return fmt.Errorf("%w: %d %s, want 1 to %d", hwsim.ErrStream, in.Bins, a.target, hwsim.MaxBins)
	case a.others != "" && len(in.Others) != n:
		return fmt.Errorf("%w: %d %s for %d keys", hwsim.ErrStream, len(in.Others), a.others, n)
	case a.others != "" && (in.Width == 0 || in.Width > widest):
		return fmt.Errorf("%w: %d %s, want 1 to %d", hwsim.ErrStream, in.Width, a.others, widest)
	}
	for i, x := range in.Keys {
		switch {
		case a.key != "" && uint64(x) >= in.Bins:
			return fmt.Errorf("%w: %s %d: %d is not below %d %s", hwsim.ErrStream, a.key, i, x, in.Bins,
				a.target)
		case a.others != "" && uint64(in.Others[i]) >= in.Width:
			return fmt.Errorf("%w: %s %d: %d is not below %d %s", hwsim.ErrStream, a.other, i,
				in.Others[i], in.Width, a.others)
		case cfg.Application == SpMV && i > 0 && x < in.Keys[i-1]:
			return fmt.Errorf("%w: element %d: row %d after row %d, want ascending order",
				hwsim.ErrStream, i, x, in.Keys[i-1])
		}
	}
	return nil
}

// checkMethod reports a method that the application does not know, or the device cannot run.
func (cfg AppConfig) checkMethod(in AppInput) error {
	known := applications[cfg.Application].methods
	plain := cfg.Method // a method's parameters are free
	plain.Threshold, plain.Samples = 0, 0
	v, typ, targets := cfg.Method, cfg.Type, in.Bins
	switch err := v.Validate(); {
	case err != nil:
		return fmt.Errorf("%w: %v", hwsim.ErrStream, err)
	case !slices.Contains(known, plain):
		return fmt.Errorf("%w: method %s, want one of %v", hwsim.ErrStream, v, known)
	case cfg.Level > WarpPrivate:
		return fmt.Errorf("%w: no level %d", hwsim.ErrStream, cfg.Level)
	case cfg.Application == MergeSort || cfg.Application == PageViewCount:
		v.Algorithm, typ, targets = impl.Private, device.U32, mergeTile
	case cfg.Level != NoPrivate:
		v.Algorithm = impl.Private
	}
	return cfg.Device.CanRun(v, typ, targets)
}

// operand is a register of a program, or an immediate.
type operand = machine.Operand

func imm(v uint64) operand { return machine.Imm(v) }
