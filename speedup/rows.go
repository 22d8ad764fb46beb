package speedup

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/collision/reuse"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// The implementations that add rows.
var (
	rowNaive = impl.Spec{}
	rowRuns  = impl.Spec{Reduction: impl.Runs}
	rowHot   = impl.Spec{Algorithm: impl.Hot}
	rowSort  = impl.Spec{Algorithm: impl.Sort}
)

// The parts of the time of a call that adds rows. Times are those that it adds to a stream with work before
// it: the host's launches are hidden.
const (
	rowLaunch   = iota // what a call costs that does nothing
	rowClear           // setting the targets to zero
	rowSorting         // sorting the indices
	rowStream          // reading values and indices
	rowMisses          // targets beyond L2
	rowRequests        // the atomic requests of all updates at the slices of L2
	rowIssue           // instructions of the warps
	rowBusiest         // additions to the busiest row, one after the other
	rowParts
)

var rowBounds = [rowParts]string{"launch", "clear", "sort", "stream", "misses", "requests", "issue", "row"}

// rowPhases are the phases of such a call, of the parts from one on to the next. Those of the updates overlap.
var rowPhases = []struct {
	name     string
	from, to int
}{{"launch", rowLaunch, rowClear}, {"clear", rowClear, rowSorting}, {"sort", rowSorting, rowStream},
	{"update", rowStream, rowBusiest}, {"row", rowBusiest, rowParts}}

// priceRows returns the time of an implementation that adds rows, and its parts.
//
// A call takes what its kernels take to start, what its busiest row takes, and the longest of three
// that overlap: reading values and indices with what misses L2, the requests at the slices, and the
// instructions of the warps.
//
//	t = start + row + ((stream + misses)^4 + requests^4 + issue^4)^(1/4)
//
// and the clearing of the targets, and the sort, and what an idle device takes longer to start.
func (b *Bundle) priceRows(c *candidate, s *collision.Stats) (us float64, parts [rowParts]float64) {
	m := b.rowModelOf(c, s)
	m.released()
	parts = [rowParts]float64{m.start() + m.idle(), m.clear(), m.sorting(), m.stream(), m.misses(), m.requests(), m.issue(),
		m.row()}
	overlapping := overlap(b.d, parts[rowStream]+parts[rowMisses], parts[rowRequests], parts[rowIssue])
	return parts[rowLaunch] + parts[rowClear] + parts[rowSorting] + parts[rowBusiest] + overlapping, parts
}

func (b *Bundle) rowModelOf(c *candidate, s *collision.Stats) rowModel {
	return rowModel{d: b.d, s: s.Rows, call: b.c, kind: c.v.Kind(), shape: &c.rows, n: float64(s.Rows.Updates),
		positions: float64(s.Rows.Positions), rowBytes: float64(b.c.Width) * float64(b.c.Type.Bytes())}
}

// explainRows is Explain of a call that adds rows. What binds is the longest part.
func (b *Bundle) explainRows(c *candidate, s *collision.Stats) (cost Cost) {
	var parts [rowParts]float64
	cost.US, parts = b.priceRows(c, s)
	m := b.rowModelOf(c, s)
	cost.IdleUS = m.idle()
	longest := func(a, b Bound) int { return cmp.Compare(b.US, a.US) }
	for _, phase := range rowPhases {
		var list []Bound
		for i := phase.from; i < phase.to; i++ {
			list = append(list, Bound{rowBounds[i], parts[i]})
		}
		cost.Parts = append(cost.Parts, list...)
		if slices.SortStableFunc(list, longest); list[0].US > 0 {
			cost.add(phase.name, list...)
		}
	}
	slices.SortStableFunc(cost.Parts, longest)
	cost.Bottleneck = cost.Parts[0].Bound
	return cost
}

// rowsFloor is Floor of a call that adds rows: a launch, and P indices of i bytes, n of them updates of w
// values of v bytes, K rows of targets of s bytes of which U occur:
//
//	bytes = P·i + n·w·v + K·w·s     where the call clears the targets
//	bytes = P·i + n·w·v + 2·U·w·s   where it adds to what they hold
//
// Indices and values together that fit L2 count at its rate, else at that of DRAM; so do targets.
func (b *Bundle) rowsFloor(s *reuse.Stats) Floor {
	c, width := b.c, float64(b.c.Width)
	stream := float64(s.Positions)*float64(c.Index()) +
		float64(s.Updates)*width*float64(c.ValueType().Bytes())
	targets := float64(s.Rows)
	if c.Keeps {
		targets = 2 * float64(s.Unique)
	}
	targets = targets * width * float64(c.Type.Bytes())
	return Floor{b.d.Launch.First.Value + moved(b.d, stream) + moved(b.d, targets), stream + targets}
}

// moved is the microseconds of so many bytes: at the rate of L2 where they fit it, else at that of
// DRAM.
func moved(d *device.Profile, bytes float64) float64 {
	if bytes <= d.Memory.L2Bytes.Value {
		return 1e6 * bytes / d.Memory.L2Rate.Value
	}
	return 1e6 * bytes / d.Memory.DRAMRate.Value
}

// overlap is what parts take that go on at the same time, by the profile's exponent.
func overlap(d *device.Profile, parts ...float64) (sum float64) {
	together := d.Rows.Together.Value
	for _, part := range parts {
		sum += math.Pow(part, together)
	}
	return math.Pow(sum, 1/together)
}

// rowModel prices one implementation.
type rowModel struct {
	d        *device.Profile
	s        *reuse.Stats
	call     device.Call
	kind     impl.Spec // without its slots
	shape    *device.RowShape
	n        float64 // updates
	rowBytes float64 // of targets
	// positions are those of the stream. One without an update takes its place in a warp, and its index
	// and, but for Naive, its values are read.
	positions float64

	adds    float64       // rows that are added to the targets
	hits    float64       // rows that are added to sums in shared memory
	table   *reuse.Table  // nil: none
	busiest reuse.ByGroup // additions to neighbouring rows, before released
	repeat  float64       // share of the updates that go on with their group's row
	hot     float64       // and of those of the most frequent row
}

// groups is how many rows a warp holds side by side.
func (m *rowModel) groups() float64 { return 32 / float64(m.shape.Group) }

// released counts what is left to add once neighbours of a row are joined, and hot rows have their
// sums: with n updates, a share r of which repeat the row of their group,
//
//	adds = (n·(1 - r) + one for each group of the grid)·(1 - share of the table)
//
// of a sorted stream at most a row for each group of a warp.
func (m *rowModel) released() {
	m.adds, m.busiest = m.n, m.s.Busiest
	ends := float64(m.shape.Abreast()) * float64(m.shape.Threads) / 32 * m.groups()
	switch m.kind {
	case rowNaive:
	case rowSort:
		m.adds = min(m.n, float64(m.s.Unique)*min(m.n/max(1, float64(m.s.Unique)), m.groups()))
	default:
		j := bits.Len(uint(m.groups())) - 1
		m.repeat, m.hot = m.s.Repeats[j], m.s.HotRepeats[j]
		m.adds = min(m.n, m.n*(1-m.repeat)+ends)
	}
	if m.kind == rowHot {
		m.table = &m.s.Tables[bits.Len(uint(m.shape.Slots))-2]
		m.hits, m.adds = m.adds*m.table.Cover, m.adds*(1-m.table.Cover)
		m.busiest = m.table.Busiest
	}
}

// busy is how many rows are added to the busiest so many bytes of targets.
func (m *rowModel) busy(bytes float64) float64 {
	at := min(reuse.Groups-1, max(0, math.Log2(max(1, bytes/m.rowBytes))))
	i := int(at)
	n := float64(m.busiest[i])
	if i+1 < reuse.Groups {
		n += (float64(m.busiest[i+1]) - n) * (at - float64(i))
	}
	switch most := float64(m.s.MaxFrequency); m.kind {
	case rowRuns:
		return max(min(n, 1), n-m.hot*most-m.repeat*max(0, n-most))
	case rowHot:
		return n * (1 - m.repeat)
	case rowSort:
		return min(n, m.groups()*max(1, bytes/m.rowBytes))
	}
	return n
}

// cycles returns the microseconds of so many cycles of the SM clock.
func (m *rowModel) cycles(n float64) float64 { return n / m.d.Core.Clock.Value }

func (m *rowModel) start() float64 {
	r := &m.d.Rows
	switch m.kind {
	case rowHot:
		return r.Table.Value + r.TableKiB.Value*float64(m.shape.Slots*m.shape.Columns*m.call.SumBytes())/1024
	case rowSort:
		return 0
	}
	return r.Launch.Value
}

// idle is what an idle device takes longer: the first launch reaches it late, and while the kernels before a later
// one are short, that one too. A sort by p digits launches 3 + 2·p before the kernel that adds.
func (m *rowModel) idle() float64 {
	l, later := &m.d.Launch, 0.0
	if !m.call.Keeps {
		later++
	}
	if m.kind == rowSort {
		later += 3 + 2*m.digits()
	}
	return l.First.Value + l.LaterStart.Value - l.Gap.Value + later*max(0, l.Next.Value-l.Gap.Value)
}

// digits is how many digits of 8 bits a row has.
func (m *rowModel) digits() float64 { return float64((bits.Len64(m.s.Rows) + 7) / 8) }

func (m *rowModel) sorting() float64 {
	if m.kind != rowSort {
		return 0
	}
	passes := m.digits()
	return m.d.Rows.Sort.Value + m.cycles(m.positions*m.d.Rows.SortKey.Value*passes/m.d.Core.SMs.Value)
}

// clear is the time of setting all targets to zero, a launch of its own.
func (m *rowModel) clear() float64 {
	if m.call.Keeps {
		return 0
	}
	return m.d.Launch.Gap.Value + moved(m.d, float64(m.s.Rows)*m.rowBytes)
}

// stream is the time of the values and of the indices, which each part of a row reads.
func (m *rowModel) stream() float64 {
	values := float64(m.call.Width) * float64(m.call.ValueType().Bytes())
	indices := float64(m.call.Index() * m.shape.Passes)
	read := m.positions
	if m.kind == rowNaive {
		read = m.n
	}
	return 1e6 * (read*values + m.positions*indices) / (m.d.Rows.Rate.Value *
		m.d.Memory.AtomicRate.Value)
}

// sectors is how many sectors a row of targets touches, on average over the rows.
func (m *rowModel) sectors() float64 {
	sectorBytes := int(m.d.Global.SectorBytes.Value)
	size, sum := int(m.rowBytes), 0
	for i := range sectorBytes {
		sum += (i*size%sectorBytes + size + sectorBytes - 1) / sectorBytes
	}
	return float64(sum) / float64(sectorBytes)
}

// misses is the time of the rows that L2 does not hold: their first sector as an atomic that misses,
// each further one as its bytes from memory and back. Where all rows that occur fit, none misses.
func (m *rowModel) misses() float64 {
	fit := m.d.Memory.L2AtomicBytes.Value / m.rowBytes
	if float64(m.s.Unique) <= fit {
		return 0
	}
	missing := float64(m.s.Unique)
	switch m.kind {
	case rowNaive:
		missing = m.n * m.s.Misses.At(fit)
	case rowRuns, rowHot:
		missing = min(m.adds, m.n*m.s.FarMisses.At(fit))
	}
	bytes := m.d.Memory.MissBytes.Value + 2*m.d.Global.SectorBytes.Value*(m.sectors()-1)
	return 1e6 * missing * bytes / m.d.Memory.DRAMRate.Value
}

// scale is how many times as long requests take whose lanes add half words, or a piece element by
// element.
func (m *rowModel) scale() float64 {
	switch {
	case m.call.Type == device.BF16 && m.shape.Piece == 1:
		return m.d.Rows.Halves.Value
	case !m.d.Vectors(m.call):
		return float64(m.shape.Piece)
	}
	return 1
}

// requests is the time of all additions on all slices.
func (m *rowModel) requests() float64 {
	one := m.d.Rows.First.Value
	if m.shape.Piece*m.call.Type.Bytes() >= int(m.rowBytes) {
		one *= m.d.Rows.Alone.Value
	}
	cycles := m.adds * m.scale() * (one + m.d.Rows.Further.Value*(m.sectors()-1))
	return m.cycles(cycles / m.d.Global.Slices.Value)
}

// row is the time of the busiest sector, whose additions wait for each other, and of the busiest 256
// bytes, which one slice serves. Rows of a warp that meet in a sector are one request.
func (m *rowModel) row() float64 {
	inSector, inChunk := m.busy(m.d.Global.SectorBytes.Value), m.busy(m.d.Global.ChunkBytes.Value)
	if inChunk == 0 {
		return 0
	}
	united, sectors := m.united(inSector, inChunk)
	same := m.d.GlobalUpdate(m.call).SameAddress.Value
	if sectors > 1.5 {
		same *= united
	}
	width := min(m.rowBytes, m.d.Global.ChunkBytes.Value) / m.d.Global.SectorBytes.Value
	one := united * (m.d.Rows.Chunk.Value + m.d.Rows.Sector.Value*max(0, width-1))
	return m.cycles(overlap(m.d, inSector*same, inChunk*one) * m.scale())
}

// united is how many requests an addition to the busiest chunk is, where several rows of a warp lie
// there, and how many of its sectors are busy. Of r rows in s sectors of w words each, s·(1 - (1 -
// 1/s)^r) sectors are asked for, each as often as its most wanted word.
func (m *rowModel) united(inSector, inChunk float64) (requests, sectors float64) {
	sectors = min(8, max(1, inChunk/max(1, inSector)))
	groups := m.groups()
	if m.kind == rowNaive {
		groups = 32 / min(32, float64(m.call.Width))
	}
	r := groups * inChunk / m.positions
	if r <= 1 {
		return 1, sectors
	}
	asked := sectors * (1 - math.Pow(1-1/sectors, r))
	often := max(1, r/asked)
	if sectors > 1.5 {
		words := max(1, min(8, m.d.Global.SectorBytes.Value/m.rowBytes))
		often = 1 + 1.5*max(0, r/asked-1)/words
	}
	return min(1, asked*often/r), sectors
}

// issue is the time of the instructions on all SMs: so many cycles for an iteration of a warp, and with a
// table for each different hot row that an iteration meets.
func (m *rowModel) issue() float64 {
	iterations := m.positions / m.groups() * float64(m.shape.Passes)
	if m.kind == rowNaive {
		iterations = m.positions * float64(m.call.Width) / 32
	}
	cycles := iterations * m.d.Rows.Turn.Value
	if m.table != nil && m.n > 0 {
		slots := max(1, float64(m.table.Slots))
		different := slots * (1 - math.Pow(1-1/slots, m.groups()*m.hits/m.positions))
		cycles += iterations * different * m.d.Rows.Hit.Value
	}
	return m.cycles(cycles / m.d.Core.SMs.Value)
}
