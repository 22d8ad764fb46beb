package probe

import (
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// sortPrice is what a sort is predicted from where no companion measures it.
type sortPrice struct {
	firstUS    float64 // a call with one kernel
	bytesPerUS float64 // read and written by a copy that L2 does not hold
}

// Repeats, and lengths of what measurePrice times.
const (
	priceRepeats   = 5
	priceCopies    = 4
	leastCopyWords = 1 << 22 // shorter copies would time their launch
	digitBits      = 8       // that one pass of the sort orders by
)

// measurePrice times an empty kernel, and copies between two buffers that are
// each twice as long as L2.
func (c *callSuite) measurePrice(g GPU) (*sortPrice, error) {
	words := max(uint64(c.device.Attribute("l2_bytes"))/2, leastCopyWords)
	p := pool{g: g}
	defer p.free()
	from, err := p.alloc(4 * words)
	if err != nil {
		return nil, err
	}
	to, err := p.alloc(4 * words)
	if err != nil {
		return nil, err
	}
	if err := g.Clear(from, 4*words); err != nil {
		return nil, err
	}
	first, err := timeRow(g, 1, func() error { return launchFlat(g, "calls_stream", "nothing", 1) })
	if err != nil {
		return nil, err
	}
	copied := func() error {
		return launchFlat(g, "calls_stream", "copy_stream", c.flatBlocks(words), to, from, words)
	}
	one, err := timeRow(g, 1, copied)
	if err != nil {
		return nil, err
	}
	more, err := timeRow(g, 1+priceCopies, copied)
	if err != nil {
		return nil, err
	}
	if first <= 0 || more <= one {
		return nil, fmt.Errorf("%w: an empty kernel takes %v us, 1 copy of %d words %v us and %d take %v us",
			ErrClock, first, words, one, 1+priceCopies, more)
	}
	return &sortPrice{firstUS: first, bytesPerUS: float64(8*words) * priceCopies / (more - one)}, nil
}

// timeRow returns the median time of so many kernels in a row, after one row to
// warm up.
func timeRow(g GPU, kernels int, enqueue func() error) (float64, error) {
	var us []float64
	for i := range 1 + priceRepeats {
		t, err := g.Time(func() error {
			for range kernels {
				if err := enqueue(); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
		if i > 0 {
			us = append(us, t)
		}
	}
	slices.Sort(us)
	return middle(us), nil
}

// predict fills in the time of a sort or of a segmented reduction that was not
// measured.
func (r *callRun) predict(call *recordings.Call) error {
	if r.suite.price == nil {
		price, err := r.suite.measurePrice(r.g)
		if err != nil {
			return err
		}
		r.suite.price = price
	}
	us := r.suite.price.call(call.Implementation, call.Call, call.Updates, call.Bins, r.in.stats.Unique)
	call.Origin = recordings.Predicted
	call.MedianUS, call.MinUS, call.MaxUS = us, us, us
	return nil
}

// What CUB's kernels take beside the moving of bytes, and how fast they move
// them. These are a least-squares fit, rounded, to 1,924 sorts and segmented
// reductions by CUB 3.0 on one NVIDIA H200, of 2^18 to 2^25 updates; with them
// the prediction is 0.82 to 1.16 times what was measured in nine of ten. On
// other devices they are an assumption.
const (
	sortReduceUS   = 12   // initialization, sums of runs, which look back, and store
	sortCountUS    = 4    // histogram and scan of all digits
	sortPassUS     = 13   // a cleared state, and a look-back from tile to tile
	sortByteFactor = 1.75 // a byte takes as long as that many of a copy
)

// call returns the predicted time of the call in microseconds:
//
//	first + 12 + 4 + 13 p + (1.75 moved + K b) / rate
//
// where a segmented reduction has neither 4 nor 13 p. K targets of b bytes are
// cleared. The radix sort orders by 8 bits in each of its p = ceil(log2 K / 8)
// passes. With n updates of u distinct targets, keys of 4 bytes and values of
// s = b bytes, or s = 0 where the constant 1 is added, the bytes moved are
//
//	4 n                            to count all digits, of a sort
//	2 p (4 + s) n                  to read and write them in each pass
//	(4 + s) n + (4 + b) u          to sum each run
//	(4 + 2 b) u                    to store the sums
func (p *sortPrice) call(v variant.Variant, c device.Call, n, bins, unique uint64) float64 {
	b := uint64(c.Type.Bytes())
	pair := 4 + b
	if c.Operand == device.One {
		pair = 4
	}
	us := p.firstUS + sortReduceUS
	moved := pair*n + (4+b)*unique + (4+2*b)*unique
	if v.Base == variant.Sort {
		passes := uint64(keyBits(bins)+digitBits-1) / digitBits
		us += sortCountUS + sortPassUS*float64(passes)
		moved += 4*n + 2*passes*pair*n
	}
	return us + (sortByteFactor*float64(moved)+float64(bins*b))/p.bytesPerUS
}
