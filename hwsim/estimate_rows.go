package hwsim

import (
	"cmp"
	"slices"

	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/impl"
)

// Samplings of kernels that update rows, in tiles of each warp, and of those that update elements, in
// turns of the grid.
var (
	rowTiles          = sampling{whole: 6, long: 4, level: true}
	elementIterations = sampling{whole: 24, long: 16, level: true}
)

// estimateRows is Estimate of a call that adds rows. Of a longer one each warp of the grid takes a part of its stretch
// of the stream, from the middle on, once a longer one and once half of it, and the time is taken to grow as between
// them, as in Estimate. A sort is simulated on a part of the device.
func (cfg Config) estimateRows(indices []uint32, count uint64) (us float64, err error) {
	c, err := cfg.openRows(indices, count)
	if err != nil {
		return 0, err
	}
	some := rowTiles
	if cfg.Implementation.IsNaive() {
		some = elementIterations
	}
	warps, tile := c.warps()
	if (len(indices)+warps*tile-1)/(warps*tile) <= some.whole {
		return cfg.whole(indices, count)
	}
	var order []uint32
	if c.Implementation.Algorithm == impl.Sort {
		if c.Sorted == nil {
			if c.Sorted, err = SortRows(cfg, indices, count); err != nil {
				return 0, err
			}
		}
		order = byRow(indices)
		c.indices = kernel.Permute(indices, order)
	}
	return some.extrapolate(len(indices), func(iterations int) (float64, int, error) {
		part, before := c.sample(iterations)
		s := c.session(kernel.Permute(c.indices, part), kernel.Permute(order, part), before)
		err := s.Run()
		if err == nil && !s.Correct() {
			err = c.wrong()
		}
		return c.elapsedRows(append(slices.Clip(c.Sorted), s.Times...)), len(part), err
	})
}

// SortRows simulates the launches that sort the updates of a stream by row: of a long stream those of
// a part of it on as large a part of the device.
func SortRows(cfg Config, indices []uint32, count uint64) ([]KernelTime, error) {
	d, part := cfg.Device, indices
	if parts := divisor(int(d.Core.SMs.Value), len(indices)/leastPart); parts > 1 {
		d, part = partOf(d, parts), pieces(indices, stretches, len(indices)/parts/stretches, 1)
	}
	times, _, err := kernel.SortRows(d, cfg.Call, part, count)
	return times, err
}

// byRow returns the places of the updates of a stream in the order of their rows.
func byRow(indices []uint32) []uint32 {
	order := make([]uint32, len(indices))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(indices[a], indices[b]) })
	return order
}

// warps is how many warps share the stream, and tile how many updates of it one takes at once; where the
// threads of the grid take an element each, all are one.
func (c *rowCall) warps() (warps, tile int) {
	threads, lanes := c.shape.Abreast()*c.shape.Threads, int(c.Device.Core.WarpLanes.Value)
	if c.Implementation.IsNaive() {
		return 1, max(1, threads/int(c.Call.Width))
	}
	return threads / lanes, lanes / c.shape.Group * c.shape.Unroll
}

// sample returns the places of updates of a longer stream, so many iterations in its middle, and the rows
// that are in L2 by then.
func (c *rowCall) sample(iterations int) (part, before []uint32) {
	warps, tile := c.warps()
	tiles := (len(c.indices) + tile - 1) / tile
	for w := range warps {
		first, last := tiles*w/warps, tiles*(w+1)/warps
		from := first + max(0, last-first-iterations)/2
		begin, end := from*tile, min(len(c.indices), min(last, from+iterations)*tile)
		if c.Implementation.IsNaive() {
			begin = (len(c.indices) - iterations*tile) / 2
			end = begin + iterations*tile
		}
		for u := begin; u < end; u++ {
			part = append(part, uint32(u))
		}
	}
	return part, c.before(c.middle(part))
}

// stretches calls take with the stretch of each warp.
func (c *rowCall) stretches(take func(first, last int)) {
	warps, _ := c.warps()
	for w, n := 0, len(c.indices); w < warps; w++ {
		take(n*w/warps, n*(w+1)/warps)
	}
}

// middle returns the share of the stream after which as many of a sample's rows have not been there as
// of the rows of all updates: those that a call finds outside of L2, as it begins without any.
func (c *rowCall) middle(part []uint32) float64 {
	first, unique := make([]float32, c.count), 0
	c.stretches(func(from, last int) {
		for u := from; u < last; u++ {
			at := float32(u-from+1) / float32(last-from)
			if row := c.indices[u]; first[row] == 0 || at < first[row] {
				if first[row] == 0 {
					unique++
				}
				first[row] = at
			}
		}
	})
	seen := make([]float32, len(part))
	for i, u := range part {
		seen[i] = first[c.indices[u]]
	}
	slices.Sort(seen)
	known := float64(len(seen)) * (1 - float64(unique)/float64(len(c.indices)))
	return float64(seen[min(len(seen)-1, int(known))])
}

// touches is how often the part of L2 that holds targets is filled before a simulation.
const touches = 3

// before returns the rows that were updated last where each warp has done that share of its stretch.
func (c *rowCall) before(done float64) (list []uint32) {
	memory := c.Device.Memory.L2AtomicBytes.Value
	rowBytes := float64(int(c.Call.Width) * c.Call.Type.Bytes())
	if float64(c.count)*rowBytes <= memory {
		return nil
	}
	each := touches * memory / rowBytes / float64(len(c.indices)) // of a stretch
	most := 0
	c.stretches(func(first, last int) { most = max(most, int(each*float64(last-first))+1) })
	for i := most; i > 0; i-- { // all stretches together
		c.stretches(func(first, last int) {
			if at := first + int(done*float64(last-first)) - i; at >= first && at < last {
				list = append(list, c.indices[at])
			}
		})
	}
	return list
}
