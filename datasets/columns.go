package datasets

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
)

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
