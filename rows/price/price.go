// Package price prices updates of rows in closed form: from how the rows of a stream are used again
// (collision/reuse) and the profile of a GPU, the time of each form in which
// cuda/atomtune_rows_update.cuh makes them.
//
// Times are those that a call adds to a stream with work before it: the host's launches are hidden.
package price

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/atomtune/atomtune/collision/reuse"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/portable"
	"github.com/atomtune/atomtune/rows"
)

// ErrPrice is wrapped by the errors of what has no price.
var ErrPrice = errors.New("no price of updates of rows")

// Bound is what takes the most of a form's time.
type Bound string

// The bounds.
const (
	Launch   Bound = "launch"   // what a call costs that does nothing
	Stream   Bound = "stream"   // reading values and indices
	Misses   Bound = "misses"   // targets beyond L2
	Requests Bound = "requests" // the atomic requests of all updates at the slices of L2
	Row      Bound = "row"      // those of the busiest row, one after the other
	Issue    Bound = "issue"    // instructions of the warps
	Sorting  Bound = "sort"     // sorting the indices
	Clear    Bound = "clear"    // setting the targets to zero
)

// meanings says of each bound what it is.
var meanings = map[Bound]string{
	Launch:   "starting the kernels, and of hot filling and adding up the tables",
	Stream:   "reading each value and index once from memory",
	Misses:   "targets that L2 does not hold come from memory and go back",
	Requests: "each row that is added asks a slice of L2 for each of its 32-byte sectors",
	Row:      "additions to the busiest row, or to 256 bytes of neighbouring ones, wait for each other",
	Issue:    "the instructions of all warps, among them those that find a hot row's slot",
	Sorting:  "sorting the indices and their places",
	Clear:    "setting the targets to zero",
}

// Meaning says in a few words what a bound is, "" of one that there is not.
func Meaning(b Bound) string { return meanings[b] }

// Part is the time of a part of a call.
type Part struct {
	Bound Bound   `json:"bound"`
	US    float64 `json:"us"`
}

// Price is the time of a form.
type Price struct {
	Form  rows.Form
	Slots int // of the table of hot rows; 0: none
	Shape rows.Shape
	US    float64
	// LowUS to HighUS holds nine of ten measured times, of streams that fitted nothing.
	LowUS, HighUS float64
	Bound         Bound  // that takes most
	Parts         []Part // by time; some of them overlap
}

// Part is the time of one part, 0 where there is none.
func (p Price) Part(b Bound) float64 {
	for _, part := range p.Parts {
		if part.Bound == b {
			return part.US
		}
	}
	return 0
}

// Implementation is the form with the slots of its table.
func (p Price) Implementation() rows.Implementation {
	return rows.Implementation{Form: p.Form, Slots: p.Slots}
}

// interval is the range of measured over predicted time that holds 95 of 100 calls of those that
// fitted, by form. Of others it holds nine of ten: TestIntervals of lab/bench/rows.
var interval = map[rows.Form][2]float64{
	rows.Naive: {0.56, 1.37}, rows.Runs: {0.70, 1.28}, rows.Hot: {0.73, 1.28}, rows.Sort: {0.81, 1.49},
}

// Interval is where nine of ten measured times of a form lie whose price is us.
func Interval(f rows.Form, us float64) (low, high float64) {
	return us * interval[f][0], us * interval[f][1]
}

// Rank prices all implementations whose table, if they have one, fits, the fastest first.
func Rank(d *device.Profile, s *reuse.Stats, c rows.Call) (list []Price, err error) {
	for _, i := range rows.Implementations() {
		p, err := Of(d, s, c, i.Form, i.Slots)
		switch {
		case errors.Is(err, device.ErrCannot) && i.Slots > 0: // not so many
		case err != nil:
			return nil, err
		default:
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, func(a, b Price) int { return cmp.Compare(a.US, b.US) })
	return list, nil
}

// Of prices a form. slots is as rows.Call.Shape takes it.
//
// A call takes what its kernels take to start, what its busiest row takes, and the longest of three
// that overlap: reading values and indices with what misses L2, the requests at the slices, and the
// instructions of the warps.
//
//	t = start + row + ((stream + misses)^4 + requests^4 + issue^4)^(1/4)
//
// and the clearing of the targets, and the sort. An error wraps device.ErrCannot where the device has
// no such kernel, rows.ErrCall where the call is none, and ErrPrice without statistics.
func Of(d *device.Profile, s *reuse.Stats, c rows.Call, f rows.Form, slots int) (Price, error) {
	if err := rows.Check(d, c); err != nil {
		return Price{}, err
	}
	if s == nil || s.Updates > 0 && s.Unique == 0 {
		return Price{}, fmt.Errorf("%w: no statistics", ErrPrice)
	}
	shape, err := c.Shape(d, f, slots)
	if err != nil {
		return Price{}, err
	}
	m := model{d: d, s: s, call: c, form: f, shape: shape, n: float64(s.Updates),
		positions: float64(s.Positions), rowBytes: float64(c.Width) * float64(c.Kind.TargetBytes())}
	m.released()
	p := Price{Form: f, Slots: shape.Slots, Shape: shape}
	start, clear := m.start(), m.clear()
	stream, misses, requests, issue, row := m.stream(), m.misses(), m.requests(), m.issue(), m.row()
	sorting := m.sorting()
	overlapping := overlap(d, stream+misses, requests, issue)
	p.US = start + clear + sorting + row + overlapping
	p.LowUS, p.HighUS = Interval(f, p.US)
	p.Parts = []Part{{Launch, start}, {Clear, clear}, {Sorting, sorting}, {Stream, stream},
		{Misses, misses}, {Requests, requests}, {Issue, issue}, {Row, row}}
	slices.SortStableFunc(p.Parts, func(a, b Part) int { return cmp.Compare(b.US, a.US) })
	p.Bound = p.Parts[0].Bound
	return p, nil
}

// overlap is what parts take that go on at the same time, by the profile's exponent.
func overlap(d *device.Profile, parts ...float64) (sum float64) {
	together := d.Rows.Together.Value
	for _, part := range parts {
		sum += portable.Pow(part, together)
	}
	return portable.Pow(sum, 1/together)
}

// model prices one form.
type model struct {
	d        *device.Profile
	s        *reuse.Stats
	call     rows.Call
	form     rows.Form
	shape    rows.Shape
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
func (m *model) groups() float64 { return 32 / float64(m.shape.Group) }

// released counts what is left to add once neighbours of a row are joined, and hot rows have their
// sums: with n updates, a share r of which repeat the row of their group,
//
//	adds = (n·(1 - r) + one for each group of the grid)·(1 - share of the table)
//
// of a sorted stream at most a row for each group of a warp.
func (m *model) released() {
	m.adds, m.busiest = m.n, m.s.Busiest
	ends := float64(float64(m.shape.Blocks(m.d)) * float64(m.shape.Threads) / 32 * m.groups())
	switch m.form {
	case rows.Naive:
	case rows.Sort:
		m.adds = min(m.n, float64(m.s.Unique)*min(m.n/max(1, float64(m.s.Unique)), m.groups()))
	default:
		j := bits.Len(uint(m.groups())) - 1
		m.repeat, m.hot = m.s.Repeats[j], m.s.HotRepeats[j]
		m.adds = min(m.n, float64(m.n*(1-m.repeat))+ends)
	}
	if m.form == rows.Hot {
		m.table = &m.s.Tables[bits.Len(uint(m.shape.Slots))-2]
		m.hits, m.adds = m.adds*m.table.Cover, m.adds*(1-m.table.Cover)
		m.busiest = m.table.Busiest
	}
}

// busy is how many rows are added to the busiest so many bytes of targets.
func (m *model) busy(bytes float64) float64 {
	at := min(reuse.Groups-1, max(0, portable.Log2(max(1, bytes/m.rowBytes))))
	i := int(at)
	n := float64(m.busiest[i])
	if i+1 < reuse.Groups {
		n += float64((float64(m.busiest[i+1]) - n) * (at - float64(i)))
	}
	switch most := float64(m.s.MaxFrequency); m.form {
	case rows.Runs:
		return max(min(n, 1), n-float64(m.hot*most)-float64(m.repeat*max(0, n-most)))
	case rows.Hot:
		return n * (1 - m.repeat)
	case rows.Sort:
		return min(n, m.groups()*max(1, bytes/m.rowBytes))
	}
	return n
}

// cycles returns the microseconds of so many cycles of the SM clock.
func (m *model) cycles(n float64) float64 { return n / m.d.Core.Clock.Value }

func (m *model) start() float64 {
	r := &m.d.Rows
	switch m.form {
	case rows.Hot:
		return r.Table.Value + float64(r.TableKiB.Value*float64(m.shape.Slots*m.shape.Columns*4)/1024)
	case rows.Sort:
		return 0
	}
	return r.Launch.Value
}

func (m *model) sorting() float64 {
	if m.form != rows.Sort {
		return 0
	}
	passes := float64((bits.Len64(m.s.Rows) + 7) / 8)
	return m.d.Rows.Sort.Value + m.cycles(m.positions*m.d.Rows.SortKey.Value*passes/m.d.Core.SMs.Value)
}

// clear is the time of setting all targets to zero, a launch of its own.
func (m *model) clear() float64 {
	if m.call.Keeps {
		return 0
	}
	return m.d.Launch.Gap.Value + moved(m.d, float64(m.s.Rows)*m.rowBytes)
}

// stream is the time of the values and of the indices, which each part of a row reads.
func (m *model) stream() float64 {
	values := float64(m.call.Width) * float64(m.call.Kind.ValueBytes())
	indices := float64(m.call.Index() * m.shape.Passes)
	read := m.positions
	if m.form == rows.Naive {
		read = m.n
	}
	return 1e6 * (float64(read*values) + float64(m.positions*indices)) / (m.d.Rows.Rate.Value * m.d.Memory.AtomicRate.Value)
}

// sectors is how many sectors a row of targets touches, on average over the rows.
func (m *model) sectors() float64 {
	sectorBytes := int(m.d.Global.SectorBytes.Value)
	size, sum := int(m.rowBytes), 0
	for i := range sectorBytes {
		sum += (i*size%sectorBytes + size + sectorBytes - 1) / sectorBytes
	}
	return float64(sum) / float64(sectorBytes)
}

// misses is the time of the rows that L2 does not hold: their first sector as an atomic that misses,
// each further one as its bytes from memory and back. Where all rows that occur fit, none misses.
func (m *model) misses() float64 {
	fit := m.d.Memory.L2AtomicBytes.Value / m.rowBytes
	if float64(m.s.Unique) <= fit {
		return 0
	}
	missing := float64(m.s.Unique)
	switch m.form {
	case rows.Naive:
		missing = m.n * m.s.Misses.At(fit)
	case rows.Runs, rows.Hot:
		missing = min(m.adds, m.n*m.s.FarMisses.At(fit))
	}
	bytes := m.d.Memory.MissBytes.Value + float64(2*m.d.Global.SectorBytes.Value*(m.sectors()-1))
	return 1e6 * missing * bytes / m.d.Memory.DRAMRate.Value
}

// scale is how many times as long requests take whose lanes add half words, or a piece element by
// element.
func (m *model) scale() float64 {
	switch {
	case m.call.Kind == rows.BF16 && m.shape.Piece == 1:
		return m.d.Rows.Halves.Value
	case !m.d.Rows.Vectors.Value:
		return float64(m.shape.Piece)
	}
	return 1
}

// requests is the time of all additions on all slices.
func (m *model) requests() float64 {
	one := m.d.Rows.First.Value
	if m.shape.Piece*m.call.Kind.TargetBytes() >= int(m.rowBytes) {
		one *= m.d.Rows.Alone.Value
	}
	cycles := m.adds * m.scale() * (one + float64(m.d.Rows.Further.Value*(m.sectors()-1)))
	return m.cycles(cycles / m.d.Global.Slices.Value)
}

// row is the time of the busiest sector, whose additions wait for each other, and of the busiest 256
// bytes, which one slice serves. Rows of a warp that meet in a sector are one request.
func (m *model) row() float64 {
	inSector, inChunk := m.busy(m.d.Global.SectorBytes.Value), m.busy(m.d.Global.ChunkBytes.Value)
	if inChunk == 0 {
		return 0
	}
	united, sectors := m.united(inSector, inChunk)
	same := m.d.GlobalAtomics[m.d.Types[device.F32].Global].SameAddress.Value
	if sectors > 1.5 {
		same *= united
	}
	width := min(m.rowBytes, m.d.Global.ChunkBytes.Value) / m.d.Global.SectorBytes.Value
	one := united * (m.d.Rows.Chunk.Value + float64(m.d.Rows.Sector.Value*max(0, width-1)))
	return m.cycles(overlap(m.d, inSector*same, inChunk*one) * m.scale())
}

// united is how many requests an addition to the busiest chunk is, where several rows of a warp lie
// there, and how many of its sectors are busy. Of r rows in s sectors of w words each, s·(1 - (1 -
// 1/s)^r) sectors are asked for, each as often as its most wanted word.
func (m *model) united(inSector, inChunk float64) (requests, sectors float64) {
	sectors = min(8, max(1, inChunk/max(1, inSector)))
	groups := m.groups()
	if m.form == rows.Naive {
		groups = 32 / min(32, float64(m.call.Width))
	}
	r := groups * inChunk / m.positions
	if r <= 1 {
		return 1, sectors
	}
	asked := sectors * (1 - portable.Pow(1-1/sectors, r))
	often := max(1, r/asked)
	if sectors > 1.5 {
		words := max(1, min(8, m.d.Global.SectorBytes.Value/m.rowBytes))
		often = 1 + 1.5*max(0, r/asked-1)/words
	}
	return min(1, asked*often/r), sectors
}

// issue is the time of the instructions on all SMs: so many cycles for a turn of a warp, and with a
// table for each different hot row that a turn meets.
func (m *model) issue() float64 {
	turns := m.positions / m.groups() * float64(m.shape.Passes)
	if m.form == rows.Naive {
		turns = m.positions * float64(m.call.Width) / 32
	}
	cycles := float64(turns * m.d.Rows.Turn.Value)
	if m.table != nil && m.n > 0 {
		slots := max(1, float64(m.table.Slots))
		different := slots * (1 - portable.Pow(1-1/slots, m.groups()*m.hits/m.positions))
		cycles += float64(turns * different * m.d.Rows.Hit.Value)
	}
	return m.cycles(cycles / m.d.Core.SMs.Value)
}
