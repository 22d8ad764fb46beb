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
	us := r.suite.price.call(cub, call.Implementation, call.Call, call.Updates, call.Bins, r.in.stats.Unique)
	call.Origin = recordings.Predicted
	call.MedianUS, call.MinUS, call.MaxUS = us, us, us
	return nil
}

// sortCosts are what the kernels of a sort take beside the moving of bytes, and
// how fast they move them.
type sortCosts struct {
	reduceUS   float64 // initialization, sums of runs, which look back, and store
	countUS    float64 // histogram and scan of all digits
	passUS     float64 // a cleared state, and a look-back from tile to tile
	byteFactor float64 // a byte takes as long as that many of a copy
}

// cub are the costs of CUB's kernels: a least-squares fit of relative errors,
// rounded, to the 1,072 sorts and segmented reductions of the fit part of package
// h200, of 2^18 to 2^25 updates. firstUS was the reading call empty_kernels of one
// launch, bytesPerUS the reading memory copy_bandwidth at 2^27 bytes, about as long
// as what measurePrice copies. On the 1,116 of the held-out part the prediction is
// 0.99 times what was measured in the median, and 0.82 to 1.15 times in nine of
// ten. On other devices the costs are an assumption.
var cub = sortCosts{reduceUS: 11, countUS: 4.5, passUS: 13, byteFactor: 2.25}

// call returns the predicted time of the call in microseconds:
//
//	first + reduce + count + pass p + (factor moved + K b) / rate
//
// where a segmented reduction has neither count nor pass p. K targets of b bytes
// are cleared. The radix sort orders by 8 bits in each of its p = ceil(log2 K / 8)
// passes. With n updates of u distinct targets, keys of 4 bytes and values of
// s = b bytes, or s = 0 where the constant 1 is added, the bytes moved are
//
//	4 n                            to count all digits, of a sort
//	2 p (4 + s) n                  to read and write them in each pass
//	(4 + s) n + (4 + b) u          to sum each run
//	(4 + 2 b) u                    to store the sums
func (p *sortPrice) call(costs sortCosts, v variant.Variant, c device.Call, n, bins, unique uint64) float64 {
	b := uint64(c.Type.Bytes())
	pair := 4 + b
	if c.Operand == device.One {
		pair = 4
	}
	us := p.firstUS + costs.reduceUS
	moved := pair*n + (4+b)*unique + (4+2*b)*unique
	if v.Base == variant.Sort {
		passes := uint64(keyBits(bins)+digitBits-1) / digitBits
		us += costs.countUS + costs.passUS*float64(passes)
		moved += 4*n + 2*passes*pair*n
	}
	return us + (costs.byteFactor*float64(moved)+float64(bins*b))/p.bytesPerUS
}
