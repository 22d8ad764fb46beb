package datasets

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
)

// newOrdered returns the decoder of a format whose entries must all be seen before the first update
// is known: scan adds them in file order, and one index of each comes back in the rows' order.
func newOrdered(in *input, axis string, scan func(add func(row, col uint32))) decoder {
	if axis == AxisCol {
		return &columns{in: in, scan: scan, run: runEntries}
	}
	return &rows{in: in, scan: scan}
}

// pageRows rows are allocated together, so that few rows of many cost little.
const pageRows = 1 << 14

// rows is a counting sort: the row of each entry, by row, is each row as often as it has entries.
type rows struct {
	in    *input
	scan  func(add func(row, col uint32)) // nil once all are in
	pages []*[pageRows]uint32             // place i of page p counts row pageRows·p + i; nil: none
	at    int                             // the rows before it have been given back
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

func (r *rows) next(to *chunk) bool {
	if r.scan != nil {
		r.scan(r.add)
		r.scan = nil
	}
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

// runEntries are sorted in memory at once: 32 MiB, and as much again while sorting.
const runEntries = 4 << 20

// columns gives back the column of each entry, ordered by row and stable within a row. Up to one
// run is sorted in memory; more are sorted one by one, written to a temporary file and merged.
type columns struct {
	in      *input
	scan    func(add func(row, col uint32)) // nil once all are in
	run     int                             // entries of a run
	entries []uint64                        // row·2^32 + column
	scratch []uint64
	file    *os.File // nil while one run holds everything
	ends    []int64  // of the runs in the file
	heads   []*head  // of these runs once all are in, the last is the next
}

// head is the first unread entry of a run.
type head struct {
	entry uint64
	run   int
	r     *bufio.Reader
}

func (c *columns) add(row, col uint32) {
	if len(c.entries) == c.run {
		c.flush()
	}
	c.entries = append(c.entries, uint64(row)<<32|uint64(col))
}

// flush sorts the run in memory and appends it to the temporary file. The file in os.TempDir loses
// its name at once where the system allows it, so that a killed process leaves nothing behind.
func (c *columns) flush() {
	if c.file == nil {
		file, err := os.CreateTemp("", "atomtune-*.entries")
		c.check(err)
		c.file = file
		_ = os.Remove(file.Name()) // else Close removes it
	}
	c.sortRun()
	for part := range slices.Chunk(c.entries, 1<<15) {
		c.check(binary.Write(c.file, binary.LittleEndian, part))
	}
	end := int64(8 * len(c.entries))
	if len(c.ends) > 0 {
		end += c.ends[len(c.ends)-1]
	}
	c.ends = append(c.ends, end)
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

// mergeBytes is the memory for the read buffers of all runs together.
const mergeBytes = 64 << 20

func (c *columns) sort() {
	if c.file == nil {
		c.sortRun()
		c.scratch = nil
		return
	}
	c.flush()
	c.entries, c.scratch = nil, nil
	size := min(max(mergeBytes/len(c.ends), 4<<10), 256<<10)
	begin := int64(0)
	for i, end := range c.ends {
		r := io.NewSectionReader(c.file, begin, end-begin)
		c.advance(&head{run: i, r: bufio.NewReaderSize(r, size)})
		begin = end
	}
}

// next gives the columns in order; among equal rows the earlier run comes first.
func (c *columns) next(to *chunk) bool {
	if c.scan != nil {
		c.scan(c.add)
		c.sort()
		c.scan = nil
	}
	for ; len(c.entries) > 0; c.entries = c.entries[1:] {
		if !to.free() {
			return true
		}
		to.add(uint32(c.entries[0]))
	}
	for len(c.heads) > 0 {
		if !to.free() {
			return true
		}
		last := len(c.heads) - 1
		first := c.heads[last]
		to.add(uint32(first.entry))
		c.heads = c.heads[:last]
		c.advance(first)
	}
	return false
}

// advance reads the next entry of a run and puts the run in its place, unless it is at its end.
func (c *columns) advance(h *head) {
	var raw [8]byte
	if _, err := io.ReadFull(h.r, raw[:]); err != io.EOF {
		c.check(err)
		h.entry = binary.LittleEndian.Uint64(raw[:])
		at, _ := slices.BinarySearchFunc(c.heads, h, func(a, b *head) int {
			return cmp.Or(cmp.Compare(b.entry>>32, a.entry>>32), cmp.Compare(b.run, a.run))
		})
		c.heads = slices.Insert(c.heads, at, h)
	}
}

func (c *columns) Close() error {
	if c.file == nil {
		return nil
	}
	err := c.file.Close()
	if removed := os.Remove(c.file.Name()); !errors.Is(removed, fs.ErrNotExist) {
		err = errors.Join(err, removed)
	}
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
