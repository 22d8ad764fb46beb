package datasets

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"io"
	"math"
	"slices"
)

// pairs are entries or edges in the order of the file; ok is false after the last. Faults panic.
type pairs interface {
	pair() (row, col uint32, ok bool)
}

// take returns the decoder that takes the index of opt.Axis from each pair, in the order that
// opt.Order says.
func take(in *input, opt Options, p pairs) decoder {
	in.groups = cmp.Or(opt.Axis, AxisRow)
	target := &side{pairs: p, col: opt.Axis == AxisCol}
	switch {
	case !opt.sorts():
		return target
	case (opt.Order == OrderCol) == target.col:
		return &sorted{in: in, by: opt.Order, from: target}
	}
	return &merged{in: in, from: target, run: runEntries}
}

type side struct {
	pairs
	col bool // the column, else the row
}

func (s *side) get() (index, other uint32, ok bool) {
	row, col, ok := s.pair()
	if s.col {
		return col, row, ok
	}
	return row, col, ok
}

func (s *side) next(to *chunk) bool {
	for to.free() {
		index, _, ok := s.get()
		if !ok {
			return false
		}
		to.add(index)
	}
	return true
}

// pageCounts counters are allocated together, so that few indices of many cost little.
const pageCounts = 1 << 14

// sorted is a counting sort: indices sorted by themselves are each as often as it occurs.
type sorted struct {
	in    *input
	by    string                // the axis, for errors
	from  *side                 // nil once all are in
	pages []*[pageCounts]uint32 // place i of page p counts index pageCounts·p + i; nil: none
	at    int                   // the indices before it have been given back
}

func (s *sorted) add(index uint32) {
	p := int(index / pageCounts)
	if missing := p + 1 - len(s.pages); missing > 0 {
		s.pages = append(s.pages, make([]*[pageCounts]uint32, missing)...)
	}
	if s.pages[p] == nil {
		s.in.hold(4*pageCounts, "counts of lines by "+s.by)
		s.pages[p] = new([pageCounts]uint32)
	}
	count := &s.pages[p][index%pageCounts]
	if *count == math.MaxUint32 {
		panic(s.in.fail(ErrRange, "%s %d (counted from 0) has more than %d entries", s.by, index,
			uint32(math.MaxUint32)))
	}
	*count++
}

func (s *sorted) next(to *chunk) bool {
	if s.from != nil {
		for index, _, ok := s.from.get(); ok; index, _, ok = s.from.get() {
			s.add(index)
		}
		s.from = nil
	}
	for s.at < len(s.pages)*pageCounts {
		page := s.pages[s.at/pageCounts]
		if page == nil {
			s.at += pageCounts
			continue
		}
		for count := &page[s.at%pageCounts]; *count > 0; *count-- {
			if !to.free() {
				return true
			}
			to.add(uint32(s.at))
		}
		s.at++
	}
	return false
}

// runEntries are sorted in memory at once: 32 MiB, and as much again while sorting.
const runEntries = 4 << 20

// merged gives indices sorted by the other one of their pair, and stable among equal ones. Up to
// one run is sorted in memory; more are sorted one by one, written to a temporary file and merged.
type merged struct {
	in      *input
	from    *side    // nil once all are in
	run     int      // entries of a run
	entries []uint64 // other·2^32 + index
	scratch []uint64
	ends    []int64 // of the runs in the temporary file, none while one run holds everything
	heads   []*head // of these runs once all are in, the last is the next
}

type head struct {
	entry uint64
	run   int
	r     *bufio.Reader
}

func (c *merged) add(index, other uint32) {
	if len(c.entries) == c.run {
		c.flush()
	}
	c.entries = append(c.entries, uint64(other)<<32|uint64(index))
}

// flush sorts the run in memory and appends it to the temporary file.
func (c *merged) flush() {
	end := int64(8 * len(c.entries))
	if len(c.ends) > 0 {
		end += c.ends[len(c.ends)-1]
	}
	if uint64(end) > c.in.mostCopied {
		panic(c.in.fail(ErrLarge, "sorting its lines takes more than %d bytes in a temporary file",
			c.in.mostCopied))
	}
	c.sortRun()
	for part := range slices.Chunk(c.entries, 1<<15) {
		c.in.check(binary.Write(c.in.temporary(), binary.LittleEndian, part))
	}
	c.ends = append(c.ends, end)
	c.entries = c.entries[:0]
}

func (c *merged) sortRun() {
	if len(c.scratch) < len(c.entries) {
		c.scratch = make([]uint64, len(c.entries))
	}
	sortByOther(c.entries, c.scratch[:len(c.entries)])
}

// mergeBytes is the memory for the read buffers of all runs together.
const mergeBytes = 64 << 20

func (c *merged) sort() {
	if c.ends == nil {
		c.sortRun()
		c.scratch = nil
		return
	}
	c.flush()
	c.entries, c.scratch = nil, nil
	size := min(max(mergeBytes/len(c.ends), 4<<10), 256<<10)
	begin := int64(0)
	for i, end := range c.ends {
		r := io.NewSectionReader(c.in.temp, begin, end-begin)
		c.advance(&head{run: i, r: bufio.NewReaderSize(r, size)})
		begin = end
	}
}

// next gives the indices in order; among equal ones the earlier run comes first.
func (c *merged) next(to *chunk) bool {
	if c.from != nil {
		for index, other, ok := c.from.get(); ok; index, other, ok = c.from.get() {
			c.add(index, other)
		}
		c.sort()
		c.from = nil
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
func (c *merged) advance(h *head) {
	var raw [8]byte
	if _, err := io.ReadFull(h.r, raw[:]); err != io.EOF {
		c.in.check(err)
		h.entry = binary.LittleEndian.Uint64(raw[:])
		at, _ := slices.BinarySearchFunc(c.heads, h, func(a, b *head) int {
			return cmp.Or(cmp.Compare(b.entry>>32, a.entry>>32), cmp.Compare(b.run, a.run))
		})
		c.heads = slices.Insert(c.heads, at, h)
	}
}

// sortByOther orders entries by their upper half, stable: a radix sort by digits of 11 bits, the
// least significant first. Digits that all entries share cost one pass of counting.
func sortByOther(entries, scratch []uint64) {
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
