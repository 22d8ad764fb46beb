package datasets

import (
	"io"
	"math"
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
