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

// sorter takes the entries of a matrix or an edge list in file order, and gives back one index of
// each in the order of the rows once all are in.
type sorter interface {
	decoder
	add(row, col uint32)
	// sort ends the adding.
	sort()
	Close() error
}

// ordered is the decoder of a format whose entries must all be seen before the first update is
// known.
type ordered struct {
	sorter
	scan func(add func(row, col uint32)) // nil once all are in
}

func newOrdered(in *input, axis string, scan func(add func(row, col uint32))) *ordered {
	if axis == AxisCol {
		return &ordered{&columns{in: in, run: runEntries}, scan}
	}
	return &ordered{&rows{in: in}, scan}
}

func (o *ordered) next(to *chunk) bool {
	if o.scan != nil {
		o.scan(o.add)
		o.sort()
		o.scan = nil
	}
	return o.sorter.next(to)
}

// pageRows is the number of rows whose counts are allocated together, so that an input that names
// few rows of many costs little.
const pageRows = 1 << 14

// rows is a counting sort: the row of each entry, by row, is each row as often as it has entries.
type rows struct {
	in    *input
	pages []*[pageRows]uint32 // page p, place i counts row pageRows·p + i; nil: no entries
	at    int                 // the rows before it have been given back
}

func (r *rows) add(row, _ uint32) {
	p := int(row / pageRows)
	if missing := p + 1 - len(r.pages); missing > 0 {
		r.pages = append(r.pages, make([]*[pageRows]uint32, missing)...)
	}
	if r.pages[p] == nil {
		r.pages[p] = new([pageRows]uint32)
	}
	count := &r.pages[p][row%pageRows]
	if *count == math.MaxUint32 {
		panic(r.in.fail(ErrRange, "row %d (counted from 0) has more than %d entries", row,
			uint32(math.MaxUint32)))
	}
	*count++
}

func (r *rows) sort() {}

func (r *rows) next(to *chunk) bool {
	for r.at < len(r.pages)*pageRows {
		page := r.pages[r.at/pageRows]
		if page == nil {
			r.at += pageRows
			continue
		}
		for count := &page[r.at%pageRows]; *count > 0; *count-- {
			if !to.free() {
				return true
			}
			to.add(uint32(r.at))
		}
		r.at++
	}
	return false
}

func (r *rows) Close() error {
	r.pages = nil
	return nil
}

// runEntries is the number of entries that are sorted in memory at once: 32 MiB and as much again
// while sorting.
const runEntries = 4 << 20

// columns gives back the column of each entry, ordered by row and stable within a row. Up to one
// run is sorted in memory; more are sorted one by one, written to a temporary file and merged.
type columns struct {
	in      *input
	run     int      // entries of a run
	entries []uint64 // row·2^32 + column
	scratch []uint64
	spill   *spill // nil while one run holds everything
	runs    heads  // of the spill, once all are in
}

func (c *columns) add(row, col uint32) {
	if len(c.entries) == c.run {
		c.flush()
	}
	if len(c.entries) == cap(c.entries) {
		grown := make([]uint64, len(c.entries), min(max(2*cap(c.entries), 1<<10), c.run))
		copy(grown, c.entries)
		c.entries = grown
	}
	c.entries = append(c.entries, uint64(row)<<32|uint64(col))
}

// flush sorts the run in memory and appends it to the temporary file.
func (c *columns) flush() {
	if c.spill == nil {
		var err error
		c.spill, err = newSpill()
		c.check(err)
	}
	c.sortRun()
	c.check(c.spill.write(c.entries))
	c.entries = c.entries[:0]
}

// check stops at an error of the temporary file.
func (c *columns) check(err error) {
	if err != nil {
		panic(fmt.Errorf("%s: ordering by row in a temporary file: %w", oneLine(c.in.name), err))
	}
}

func (c *columns) sortRun() {
	if len(c.scratch) < len(c.entries) {
		c.scratch = make([]uint64, len(c.entries))
	}
	sortByRow(c.entries, c.scratch[:len(c.entries)])
}

func (c *columns) sort() {
	if c.spill == nil {
		c.sortRun()
		c.scratch = nil
		return
	}
	c.flush()
	c.entries, c.scratch = nil, nil
	var err error
	c.runs, err = c.spill.heads()
	c.check(err)
}

// next gives entries of the spilled runs in the order of the rows; among equal rows the earlier
// run comes first, which keeps the file's order.
func (c *columns) next(to *chunk) bool {
	for ; len(c.entries) > 0; c.entries = c.entries[1:] {
		if !to.free() {
			return true
		}
		to.add(uint32(c.entries[0]))
	}
	for len(c.runs) > 0 {
		if !to.free() {
			return true
		}
		top := c.runs[0]
		row := top.entry >> 32
		to.add(uint32(top.entry))
		switch err := top.advance(); {
		case err == io.EOF:
			heap.Pop(&c.runs)
		case err != nil:
			c.check(err)
		case top.entry>>32 != row:
			heap.Fix(&c.runs, 0)
		}
	}
	return false
}

func (c *columns) Close() error {
	c.entries, c.scratch, c.runs = nil, nil, nil
	if c.spill == nil {
		return nil
	}
	err := c.spill.close()
	c.spill = nil
	return err
}

// sortByRow orders entries by their upper half, stable: a radix sort by digits of 11 bits, the
// least significant first. Digits that all entries share cost one pass of counting.
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
	file *os.File
	path string  // empty once the file has no name
	ends []int64 // of the runs
}

// newSpill creates the file in os.TempDir and takes its name away at once where the system allows
// it, so that nothing is left behind by a killed process.
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
	w := bufio.NewWriterSize(s.file, 256<<10)
	var raw [8]byte
	for _, entry := range entries {
		binary.LittleEndian.PutUint64(raw[:], entry)
		_, _ = w.Write(raw[:]) // errors stick
	}
	end := int64(8 * len(entries))
	if len(s.ends) > 0 {
		end += s.ends[len(s.ends)-1]
	}
	s.ends = append(s.ends, end)
	return w.Flush()
}

// mergeBytes is the memory for the read buffers of all runs together.
const mergeBytes = 64 << 20

// heads returns the beginnings of the runs.
func (s *spill) heads() (all heads, err error) {
	size := min(max(mergeBytes/len(s.ends), 4<<10), 256<<10)
	begin := int64(0)
	for i, end := range s.ends {
		r := io.NewSectionReader(s.file, begin, end-begin)
		h := &head{run: i, r: bufio.NewReaderSize(r, size)}
		if err := h.advance(); err != nil { // no run is empty
			return nil, err
		}
		all, begin = append(all, h), end
	}
	heap.Init(&all)
	return all, nil
}

func (s *spill) close() error {
	err := s.file.Close()
	if s.path != "" {
		err = joinClose(err, os.Remove(s.path))
	}
	return err
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
	return cmp.Or(cmp.Compare(h[i].entry>>32, h[j].entry>>32), cmp.Compare(h[i].run, h[j].run)) < 0
}
func (h heads) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *heads) Push(x any)   { *h = append(*h, x.(*head)) }
func (h *heads) Pop() any {
	last := len(*h) - 1
	popped := (*h)[last]
	*h = (*h)[:last]
	return popped
}
