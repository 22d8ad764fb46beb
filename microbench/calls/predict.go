package calls

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/microbench/job"
)

// ErrClock reports times from which no rate follows.
var ErrClock = errors.New("times make no sense")

// sortPrice is what a sort is predicted from where no companion measures it.
type sortPrice struct {
	firstUS    float64 // a call with one kernel
	bytesPerUS float64 // read and written by a copy that L2 does not hold
}

const (
	priceRepeats   = 5
	priceCopies    = 4       // whose time is taken beside that of one
	leastCopyWords = 1 << 22 // shorter copies would time their launch
	digitBits      = 8       // that one pass of the sort orders by
)

// measurePrice times, once, an empty kernel, and copies between two buffers that are
// each twice as long as L2.
func (c *suite) measurePrice(s *driver.Session) {
	if c.price != nil {
		return
	}
	defer s.Scope()()
	words := max(uint64(c.device.Attribute("l2_bytes"))/2, leastCopyWords)
	from, to := s.Zeros(4*words), s.Alloc(4*words)
	first := timeRow(s, 1, func() { s.LaunchFlat("calls_stream", "nothing", 1) })
	copied := func() {
		s.LaunchFlat("calls_stream", "copy_stream", c.flatBlocks(words), to, from, words)
	}
	one, more := timeRow(s, 1, copied), timeRow(s, 1+priceCopies, copied)
	if s.Err() != nil {
		return
	}
	if first <= 0 || more <= one {
		s.Fail(fmt.Errorf("%w: an empty kernel takes %v us, 1 copy of %d words %v us and %d take %v us",
			ErrClock, first, words, one, 1+priceCopies, more))
		return
	}
	c.price = &sortPrice{firstUS: first, bytesPerUS: float64(8*words) * priceCopies / (more - one)}
}

// timeRow returns the median time of so many kernels in a row, after one row to warm up.
func timeRow(s *driver.Session, kernels int, enqueue func()) float64 {
	us := s.Repeat(1+priceRepeats, func(int) float64 {
		return s.Time(func() {
			for range kernels {
				enqueue()
			}
		})
	})
	if us == nil {
		return 0
	}
	return job.Median(us[1:])
}

// predict fills in the time of a sort or of a segmented reduction that was not measured.
func (m *measurement) predict(call *recordings.Call) {
	if m.suite.measurePrice(m.Session); m.Err() != nil {
		return
	}
	us := m.suite.price.call(cub, call, m.in.stats.Unique)
	call.Origin = recordings.Predicted
	call.MedianUS, call.MinUS, call.MaxUS = us, us, us
}

// sortCosts are those of the kernels of a sort.
type sortCosts struct {
	reduceUS   float64 // initialization, sums of runs, which look back, and store
	countUS    float64 // histogram and scan of all digits
	passUS     float64 // a cleared state, and a look-back from tile to tile
	byteFactor float64 // a byte takes as long as that many of a copy
}

// cub are the costs of CUB's kernels: a least-squares fit of relative errors, rounded, to the 1,072
// sorts and segmented reductions of the fit part of package h200, of 2^18 to 2^25 updates. On other
// devices the costs are an assumption.
var cub = sortCosts{reduceUS: 13.8, countUS: 6.35, passUS: 13.4, byteFactor: 2.16}

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
func (p *sortPrice) call(costs sortCosts, c *recordings.Call, unique uint64) float64 {
	n, b := c.Updates, uint64(c.Call.Type.Bytes())
	pair := 4 + b
	if c.Call.Operand == device.One {
		pair = 4
	}
	us := p.firstUS + costs.reduceUS
	moved := pair*n + (4+b)*unique + (4+2*b)*unique
	if c.Implementation.Reorders() {
		passes := uint64(max(1, bits.Len64(c.Bins-1))+digitBits-1) / digitBits
		us += costs.countUS + costs.passUS*float64(passes)
		moved += 4*n + 2*passes*pair*n
	}
	return us + (costs.byteFactor*float64(moved)+float64(c.Bins*b))/p.bytesPerUS
}
