package apps

import (
	"math"
	"math/bits"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
)

// The buffers of a sparse matrix times a vector, y = A·x, behind bufTarget,
// which is y.
const (
	bufRows = kernel.BufTarget + 1 + iota
	bufColumns
	bufElements
	bufX
	bufCarryRows // of the original: the last row of each warp's interval
	bufCarrySums // and its sum
)

// spmvThreads is the block of the main kernels, as in CUSP.
const spmvThreads = 256

// runSpMV multiplies a matrix, given by its elements in ascending order of
// rows, by a vector, [egielski14] section 2. Elements and vector are drawn from
// the seed, both in steps of 1/8 up to 7/8. The vector's entries are gathered
// through L2, half of which is taken to keep them while the matrix streams past:
// an assumption. A texture cache is not simulated: what it could save at most is what
// FreeGather does.
func runSpMV(cfg AppConfig, in AppInput) (AppResult, error) {
	s := newAppSession(cfg, cfg.Type)
	s.freeGather = cfg.FreeGather
	s.Updates, s.Bins = uint64(len(in.Keys)), in.Bins
	call := device.Call{Type: cfg.Type}
	elements := arith.Values(call, cfg.Seed, len(in.Keys))
	x := arith.Values(call, cfg.Seed+1, int(in.Width))
	run := s.spmvAtomic
	switch {
	case cfg.Original:
		run = s.spmvFlat
	case !cfg.Relaid:
		s.HostUS = kernel.HostTime(cfg.Device, cfg.Method, len(in.Keys))
	}
	if err := run(in, elements, x); err != nil {
		return AppResult{}, err
	}
	want, bound := spmvReference(cfg.Type, in, elements, x)
	return s.finish(arith.Matches(cfg.Type, s.Output(kernel.BufTarget), want, bound))
}

// spmvMemory places the matrix and the vectors.
func (s *appSession) spmvMemory(rows, columns []uint32, elements, x []uint64) {
	s.elements(s.Bins)
	s.words(rows)
	s.words(columns)
	s.filled(elements)
	gathered := s.Machine.Buffers[s.filled(x)]
	gathered.Kept, gathered.Free = min(gathered.Bytes(), s.Machine.L2Bytes/2), s.freeGather
}

// spmvWarps returns how many warps share so many units of one warp's width, as
// many as the device holds at once or one per unit, their blocks, and the units of each.
func (s *appSession) spmvWarps(units, sharedBytes uint64) (blocks, perWarp uint64, err error) {
	perSM, err := residentBlocks(s.Device, spmvThreads, sharedBytes)
	if err != nil {
		return 0, 0, err
	}
	perBlock := spmvThreads / s.lanes
	warps := min(units, uint64(perSM*s.Machine.SMs)*spmvThreads/s.lanes)
	return (warps + perBlock - 1) / perBlock, (units + warps - 1) / warps, nil
}

// spmvReference multiplies serially in double precision. The bound is 0 while
// all sums are exact: products are multiples of 1/64 of at most 49 of them.
// Otherwise it is that of f additions, as in bound.
func spmvReference(t device.Type, in AppInput, elements, x []uint64) (out []uint64, bound float64) {
	sums, counts := make([]float64, in.Bins), make([]float64, in.Bins)
	most := 0.0
	for i, row := range in.Keys {
		sums[row] += arith.Float(t, elements[i]) * arith.Float(t, x[in.Others[i]])
		counts[row]++
		most = max(most, counts[row])
	}
	eps := 0x1p-53
	if t == device.F32 {
		eps = 0x1p-24
	}
	if 49*most >= 1/eps {
		bound = most * most * eps
	}
	for _, v := range sums {
		out = append(out, arith.PatternOf(t, v))
	}
	return out, bound
}

// The arguments of the product's main kernels.
const (
	argSpMVLength = iota // elements, the place of argUpdates
	argInterval          // elements per warp, a multiple of the warp's lanes
	argSpMVSeed          // the place of argSeed
	spmvArgs
)

// spmvAtomic is the right half of [egielski14] Figure 1: each warp takes an
// interval of the elements and adds every product to y by the method. With ss
// the elements are re-laid; the new layout is an order in time (section 3.2), so
// that the warps then take the units in turn instead of intervals.
func (s *appSession) spmvAtomic(in AppInput, elements, x []uint64) error {
	rows, columns := in.Keys, in.Others
	if order := kernel.OrderOf(s.Device, s.Implementation, rows, s.Bins); order != nil {
		rows, columns, elements = kernel.Permute(rows, order), kernel.Permute(columns, order),
			kernel.Permute(elements, order)
	}
	s.spmvMemory(rows, columns, elements, x)
	blocks, perWarp, err := s.spmvWarps((s.Updates+s.lanes-1)/s.lanes, 0)
	if err != nil {
		return err
	}
	if err := s.Clear(kernel.BufTarget); err != nil {
		return err
	}
	p := spmvAtomicKernel(s.Implementation, s.Call, s.Machine.Lanes)
	s.runBlocks(p, blocks, spmvThreads, 0, s.Updates, perWarp*s.lanes, s.Seed)
	return s.Err
}

func spmvAtomicKernel(v impl.Spec, call device.Call, lanes int) *machine.Program {
	u := kernel.NewUpdater("spmv."+v.String(), spmvArgs, v, call, lanes)
	u.Masks()
	warp, warps := u.GridWarps()
	begin, end := interval(u.Builder, warp)
	group, groups := u.Shr(begin, imm(uint64(bits.Len64(u.Lanes-1)))), imm(1)
	if v.Scatter {
		begin, end = u.Mul(warp, imm(u.Lanes)), u.Arg(argSpMVLength)
		group, groups = warp, warps
	}
	step := u.Mul(groups, imm(u.Lanes))
	u.Draw(func() (operand, operand) { return group, groups })
	u.At = u.Add(u.LaneID, begin)
	u.LoopUpdates(end, step, func() (row, value operand) { return multiply(u.Builder, u.At) })
	return u.Done()
}

// interval returns where the warp's interval begins and ends.
func interval(b *machine.Builder, warp operand) (begin, end operand) {
	begin = b.Mul(warp, b.Arg(argInterval))
	return begin, b.Min(b.Add(begin, b.Arg(argInterval)), b.Arg(argSpMVLength))
}

// multiply loads an element and returns its row and its product with x.
func multiply(b *machine.Builder, at operand) (row, value operand) {
	row = b.Load(bufRows, at)
	column := b.Load(bufColumns, at)
	element := b.Load(bufElements, at)
	return row, b.Calc(machine.OpMulT, element, b.Load(bufX, column))
}

// noRow marks places of shared memory that hold no row.
const noRow = math.MaxUint32
