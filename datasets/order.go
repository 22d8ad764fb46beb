package datasets

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
)

// sink takes the entries of a matrix or an edge list in file order.
type sink interface {
	add(row, col uint32) error
}

// sorter is a sink that gives back one index of each entry in the order of
// the rows once all are in.
type sorter interface {
	sink
	// sort ends the adding.
	sort() error
	// next is a decoder's next.
	next(buf []uint32) (int, error)
	Close() error
}

// ordered is the decoder of a format whose entries must all be seen before
// the first update is known.
type ordered struct {
	scan   func(sink) error
	sorter sorter
	sorted bool
}

func newOrdered(in *input, axis string, scan func(sink) error) *ordered {
	if axis == AxisCol {
		return &ordered{scan: scan, sorter: &columns{in: in, run: runEntries}}
	}
	return &ordered{scan: scan, sorter: &rows{in: in}}
}

func (o *ordered) next(buf []uint32) (int, error) {
	if !o.sorted {
		if err := o.scan(o.sorter); err != nil {
			return 0, err
		}
		if err := o.sorter.sort(); err != nil {
			return 0, err
		}
		o.sorted = true
		o.scan = nil
	}
	return o.sorter.next(buf)
}

func (o *ordered) Close() error { return o.sorter.Close() }

// pageRows is the number of rows whose counts are allocated together, so that
// an input that names few rows of many costs little.
const pageRows = 1 << 14

// page holds the number of entries of neighbouring rows.
type page [pageRows]uint32

// rows is a counting sort: the row of each entry, by row, is each row as often
// as it has entries.
type rows struct {
	in    *input
	pages []*page // page p, place i counts row pageRows·p + i; nil where none has entries
	page  int     // the rows before row (page, at) have been given back
	at    int
}

func (r *rows) add(row, _ uint32) error {
	p := int(row / pageRows)
	if missing := p + 1 - len(r.pages); missing > 0 {
		r.pages = append(r.pages, make([]*page, missing)...)
	}
	if r.pages[p] == nil {
		r.pages[p] = new(page)
	}
	count := &r.pages[p][row%pageRows]
	if *count == math.MaxUint32 {
		return r.in.fail(ErrRange, "row %d (counted from 0) has more than %d entries", row,
			uint32(math.MaxUint32))
	}
	*count++
	return nil
}

func (r *rows) sort() error { return nil }

func (r *rows) next(buf []uint32) (int, error) {
	n := 0
	for n < len(buf) {
		count := r.current()
		if count == nil {
			return n, io.EOF
		}
		row := uint32(r.page*pageRows + r.at)
		take := min(len(buf)-n, int(*count))
		for i := range buf[n : n+take] {
			buf[n+i] = row
		}
		n += take
		*count -= uint32(take)
	}
	return n, nil
}

// current returns the count of the first row with entries left, nil if there
// is none.
func (r *rows) current() *uint32 {
	for ; r.page < len(r.pages); r.page, r.at = r.page+1, 0 {
		counts := r.pages[r.page]
		if counts == nil {
			continue
		}
		for ; r.at < pageRows; r.at++ {
			if counts[r.at] > 0 {
				return &counts[r.at]
			}
		}
	}
	return nil
}

func (r *rows) Close() error {
	r.pages = nil
	return nil
}

// runEntries is the number of entries that are sorted in memory at once: 32
// MiB and as much again while sorting.
const runEntries = 4 << 20

// columns gives back the column of each entry, ordered by row and stable
// within a row. Up to one run is sorted in memory; more are sorted one by one,
// written to a temporary file and merged.
type columns struct {
	in      *input
	run     int      // entries of a run
	entries []uint64 // row·2^32 + column
	scratch []uint64
	spill   *spill // nil while one run holds everything
	merge   *merge // of the spilled runs
}

func (c *columns) add(row, col uint32) error {
	if len(c.entries) == c.run {
		if err := c.flush(); err != nil {
			return err
		}
	}
	if len(c.entries) == cap(c.entries) {
		grown := make([]uint64, len(c.entries), min(max(2*cap(c.entries), 1<<10), c.run))
		copy(grown, c.entries)
		c.entries = grown
	}
	c.entries = append(c.entries, uint64(row)<<32|uint64(col))
	return nil
}

// flush sorts the run in memory and appends it to the temporary file.
func (c *columns) flush() error {
	if c.spill == nil {
		spill, err := newSpill()
		if err != nil {
			return c.fault(err)
		}
		c.spill = spill
	}
	c.sortRun()
	if err := c.spill.write(c.entries); err != nil {
		return c.fault(err)
	}
	c.entries = c.entries[:0]
	return nil
}

func (c *columns) fault(err error) error {
	return fmt.Errorf("%s: ordering by row in a temporary file: %w", oneLine(c.in.name), err)
}

func (c *columns) sortRun() {
	if len(c.scratch) < len(c.entries) {
		c.scratch = make([]uint64, len(c.entries))
	}
	sortByRow(c.entries, c.scratch[:len(c.entries)])
}

func (c *columns) sort() error {
	if c.spill == nil {
		c.sortRun()
		c.scratch = nil
		return nil
	}
	if err := c.flush(); err != nil {
		return err
	}
	c.entries, c.scratch = nil, nil
	m, err := newMerge(c.spill)
	if err != nil {
		return c.fault(err)
	}
	c.merge = m
	return nil
}

func (c *columns) next(buf []uint32) (int, error) {
	if c.merge != nil {
		n, err := c.merge.next(buf)
		if err != nil && err != io.EOF {
			err = c.fault(err)
		}
		return n, err
	}
	n := min(len(buf), len(c.entries))
	for i, entry := range c.entries[:n] {
		buf[i] = uint32(entry)
	}
	c.entries = c.entries[n:]
	if n < len(buf) {
		return n, io.EOF
	}
	return n, nil
}

func (c *columns) Close() error {
	c.entries, c.scratch, c.merge = nil, nil, nil
	if c.spill == nil {
		return nil
	}
	err := c.spill.close()
	c.spill = nil
	return err
}

// sortByRow orders entries by their upper half, stable: a radix sort by digits
// of 11 bits, the least significant first. Digits that all entries share cost
// one pass of counting.
func sortByRow(entries, scratch []uint64) {
	if slices.IsSortedFunc(entries, func(a, b uint64) int { return cmp.Compare(a>>32, b>>32) }) {
		return
	}
	const bits, digits = 11, 1 << 11
	from, to := entries, scratch
	for shift := 32; shift < 64; shift += bits {
		var offsets [digits]int
		for _, entry := range from {
			offsets[entry>>shift%digits]++
		}
		if offsets[from[0]>>shift%digits] == len(from) {
			continue
		}
		sum := 0
		for digit, count := range offsets {
			offsets[digit], sum = sum, sum+count
		}
		for _, entry := range from {
			next := &offsets[entry>>shift%digits]
			to[*next] = entry
			*next++
		}
		from, to = to, from
	}
	if &from[0] != &entries[0] {
		copy(entries, from)
	}
}

// spill is a temporary file of sorted runs.
type spill struct {
	file   *os.File
	path   string // empty once the file has no name
	starts []int64
	end    int64
	bytes  []byte
}

// newSpill creates the file in os.TempDir and takes its name away at once
// where the system allows it, so that nothing is left behind by a killed
// process.
func newSpill() (*spill, error) {
	f, err := os.CreateTemp("", "atomtune-*.entries")
	if err != nil {
		return nil, err
	}
	s := &spill{file: f, path: f.Name()}
	if os.Remove(s.path) == nil {
		s.path = ""
	}
	return s, nil
}

// write appends one run.
func (s *spill) write(entries []uint64) error {
	s.starts = append(s.starts, s.end)
	for chunk := range slices.Chunk(entries, 1<<15) {
		s.bytes = s.bytes[:0]
		for _, entry := range chunk {
			s.bytes = binary.LittleEndian.AppendUint64(s.bytes, entry)
		}
		n, err := s.file.Write(s.bytes)
		s.end += int64(n)
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *spill) close() error {
	err := s.file.Close()
	if s.path != "" {
		err = joinClose(err, os.Remove(s.path))
	}
	return err
}

// mergeBytes is the memory for the read buffers of all runs together.
const mergeBytes = 64 << 20

// merge reads the runs of a spill in the order of the rows; among equal rows
// the earlier run comes first, which keeps the file's order.
type merge struct {
	heads heads
}

func newMerge(s *spill) (*merge, error) {
	m := &merge{}
	size := min(max(mergeBytes/len(s.starts), 4<<10), 256<<10)
	for i, start := range s.starts {
		end := s.end
		if i+1 < len(s.starts) {
			end = s.starts[i+1]
		}
		h := &head{run: i, r: bufio.NewReaderSize(io.NewSectionReader(s.file, start, end-start),
			size)}
		switch err := h.advance(); err {
		case nil:
			m.heads = append(m.heads, h)
		case io.EOF:
		default:
			return nil, err
		}
	}
	heap.Init(&m.heads)
	return m, nil
}

func (m *merge) next(buf []uint32) (int, error) {
	for n := range buf {
		if len(m.heads) == 0 {
			return n, io.EOF
		}
		top := m.heads[0]
		buf[n] = uint32(top.entry)
		row := top.entry >> 32
		switch err := top.advance(); {
		case err == io.EOF:
			heap.Pop(&m.heads)
		case err != nil:
			return n, err
		case top.entry>>32 != row:
			heap.Fix(&m.heads, 0)
		}
	}
	return len(buf), nil
}

// head is the first unread entry of a run.
type head struct {
	entry uint64
	run   int
	r     *bufio.Reader
}

// advance reads the next entry, or returns io.EOF after the last.
func (h *head) advance() error {
	raw, err := h.r.Peek(8)
	if err != nil {
		if err == io.EOF && len(raw) > 0 {
			return io.ErrUnexpectedEOF
		}
		return err
	}
	h.entry = binary.LittleEndian.Uint64(raw)
	_, err = h.r.Discard(8)
	return err
}

// heads is a heap of runs by row, then run.
type heads []*head

func (h heads) Len() int { return len(h) }
func (h heads) Less(i, j int) bool {
	a, b := h[i].entry>>32, h[j].entry>>32
	if a != b {
		return a < b
	}
	return h[i].run < h[j].run
}
func (h heads) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *heads) Push(x any)   { *h = append(*h, x.(*head)) }
func (h *heads) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
