package collision

import (
	"slices"

	"github.com/atomtune/atomtune/collision/internal/kernel"
)

// stretches is the least number of stretches of a stream with so many warps; there are fewer than twice as many.
const stretches = 128

// Course follows how the warps of a stream that comes in chunks collide from its beginning to its end, in memory that
// does not grow with the stream. It is not safe for concurrent use.
type Course struct {
	warp     []uint32 // lanes that wait for the rest of their warp
	kernel   *kernel.Kernel
	warps    uint64 // of each stretch but the last
	list     []Stretch
	distinct []uint64
}

// Stretch is a part of a stream: so many neighbouring warps. The conflict degree of a warp is the
// number of its lanes on its most frequent target, 1 where no two lanes meet: the position
// conflicts of [gomezluna13]; 0 where it has no update.
type Stretch struct {
	First uint64  `json:"first_update"` // place of its first update, counted from 0
	Warps uint64  `json:"warps"`
	Mean  float64 `json:"mean_degree"`
	Least int     `json:"least_degree"`
	Most  int     `json:"most_degree"`

	total uint64 // of the degrees
}

// NewCourse returns the course of an empty stream in warps of a size of at least 1. padded says that the
// index Inactive is not an update: its lane has no target.
func NewCourse(warpSize int, padded bool) *Course {
	return &Course{warp: make([]uint32, 0, warpSize), warps: 1, distinct: make([]uint64, warpSize+1),
		kernel: kernel.New(kernel.Options{WarpSize: warpSize, BlockSize: warpSize, Padded: padded})}
}

// Add appends a chunk of any length to the stream.
func (c *Course) Add(indices []uint32) {
	size := cap(c.warp)
	for len(indices) > 0 {
		if len(c.warp) == 0 && len(indices) >= size {
			c.measure(indices[:size])
			indices = indices[size:]
			continue
		}
		n := min(size-len(c.warp), len(indices))
		c.warp, indices = append(c.warp, indices[:n]...), indices[n:]
		if len(c.warp) == size {
			c.measure(c.warp)
			c.warp = c.warp[:0]
		}
	}
}

func (c *Course) measure(warp []uint32) {
	degree, distinct := c.kernel.Warp(warp)
	c.distinct[distinct]++
	c.list = c.with(c.list, degree)
	if len(c.list) < 2*stretches || c.list[len(c.list)-1].Warps < c.warps {
		return
	}
	for i := range stretches {
		c.list[i] = joined(c.list[2*i], c.list[2*i+1])
	}
	c.list, c.warps = c.list[:stretches], 2*c.warps
}

func (c *Course) with(list []Stretch, degree int) []Stretch {
	last := len(list) - 1
	one := Stretch{Warps: 1, Least: degree, Most: degree, total: uint64(degree)}
	if last < 0 || list[last].Warps == c.warps {
		if last >= 0 {
			one.First = list[last].First + list[last].Warps*uint64(cap(c.warp))
		}
		return append(list, one)
	}
	list[last] = joined(list[last], one)
	return list
}

func joined(a, b Stretch) Stretch {
	return Stretch{First: a.First, Warps: a.Warps + b.Warps, total: a.total + b.total,
		Least: min(a.Least, b.Least), Most: max(a.Most, b.Most)}
}

// Stretches returns the stretches of the stream so far, of the same number of warps each but for
// the last. More can be added afterwards.
func (c *Course) Stretches() []Stretch {
	list := slices.Clone(c.list)
	if len(c.warp) > 0 {
		degree, _ := c.kernel.Warp(c.warp)
		list = c.with(list, degree)
	}
	for i := range list {
		list[i].Mean = float64(list[i].total) / float64(list[i].Warps)
	}
	return list
}

// Distinct returns how many warps of the stream so far have each number of different targets, from
// 0, of warps without an update, to the size of a warp.
func (c *Course) Distinct() []uint64 {
	list := slices.Clone(c.distinct)
	if len(c.warp) > 0 {
		_, distinct := c.kernel.Warp(c.warp)
		list[distinct]++
	}
	return list
}
