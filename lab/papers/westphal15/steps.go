package westphal15

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/apps"
	"github.com/atomtune/atomtune/lab/papers"
)

// tracedWarps of random keys below tracedCells are followed step by step.
const (
	tracedWarps = 400
	tracedCells = 64
)

// tracedKeys are the keys of the i'th warp: among 1 to 40, in runs or not.
func tracedKeys(seed uint64, i int) []uint32 {
	rng := rand.New(rand.NewPCG(seed, uint64(i)))
	keys := make([]uint32, 32)
	among, stay := 1+rng.IntN(40), rng.IntN(5)
	for l := range keys {
		keys[l] = uint32(rng.IntN(among))
		if l > 0 && rng.IntN(5) < stay {
			keys[l] = keys[l-1]
		}
	}
	return keys
}

// tracePeers runs `peers` of a warp in double precision on a Kepler.
func tracePeers(keys []uint32, seed uint64) (apps.PeersTrace, error) {
	d, err := device.Builtin("gtx680")
	if err != nil {
		return apps.PeersTrace{}, err
	}
	return apps.TracePeers(hwsim.Config{Device: d, Call: device.Call{Type: device.F64}, Seed: seed},
		keys, tracedCells)
}

// followed counts the warps in which a statement of [westphal15] about its
// algorithms is true.
type followed struct {
	masks, passes, positions, next, away, iterations, sums, adds, printed int
}

// heed holds one trace against what [westphal15] says.
func (h *followed) follow(keys []uint32, t apps.PeersTrace) {
	w := groupsOf(keys)
	h.masks += papers.One(w.same(func(l int) bool { return t.Peers[l] == w.mask(l) }))
	h.passes += papers.One(len(t.Matches) == len(w.lanes) && t.Matches[len(t.Matches)-1].Remaining == 0)
	inPlace := func(l int) bool { return t.Position[l] == uint64(w.position(l)) }
	h.positions += papers.One(w.same(inPlace))
	h.next += papers.One(w.takesNext(t))
	h.away += papers.One(w.reducedAway(t))
	h.iterations += papers.One(len(t.Steps) == bits.Len(uint(w.most()-1)))
	h.sums += papers.One(w.same(func(l int) bool { return t.Final[keys[l]] == w.sum(l, t) }))
	h.adds += papers.One(w.adders(t) == len(w.lanes))
}

// warpGroups are the lanes of a warp by key, found by a plain loop.
type warpGroups struct {
	keys  []uint32
	lanes map[uint32]uint64
}

func groupsOf(keys []uint32) warpGroups {
	w := warpGroups{keys, map[uint32]uint64{}}
	for l, key := range keys {
		w.lanes[key] |= 1 << l
	}
	return w
}

func (w warpGroups) mask(l int) uint64 { return w.lanes[w.keys[l]] }

// position is how many peers stand before a lane.
func (w warpGroups) position(l int) int { return bits.OnesCount64(w.mask(l) & (1<<l - 1)) }

// most is the number of lanes with the commonest key.
func (w warpGroups) most() int {
	most := 0
	for _, lanes := range w.lanes {
		most = max(most, bits.OnesCount64(lanes))
	}
	return most
}

// same reports whether something is true of all lanes.
func (w warpGroups) same(of func(l int) bool) bool {
	for l := range w.keys {
		if !of(l) {
			return false
		}
	}
	return true
}

// takesNext reports whether in iteration i each lane that is still there takes
// the value of the next peer that is: 2^i positions on, if there is one.
func (w warpGroups) takesNext(t apps.PeersTrace) bool {
	for i, step := range t.Steps {
		for l := range w.keys {
			if w.position(l)%(1<<i) != 0 {
				continue // reduced away before
			}
			want := len(w.keys)
			for other := range w.keys {
				if w.keys[other] == w.keys[l] && w.position(other) == w.position(l)+1<<i {
					want = other
				}
			}
			if step.Next[l] != uint64(want) {
				return false
			}
		}
	}
	return true
}

// reducedAway reports whether iteration i takes away exactly the lanes whose
// position has its least significant bit at 2^i.
func (w warpGroups) reducedAway(t apps.PeersTrace) bool {
	gone := uint64(0)
	for i, step := range t.Steps {
		want := uint64(0)
		for l := range w.keys {
			if p := w.position(l); p != 0 && bits.TrailingZeros(uint(p)) == i {
				want |= 1 << l
			}
		}
		if step.Done&^gone != want {
			return false
		}
		gone |= step.Done
	}
	return true
}

// sum is the bit pattern of what the first peer of a lane has at the end, or of
// the lane's own value where no step was made.
func (w warpGroups) sum(l int, t apps.PeersTrace) uint64 {
	if len(t.Steps) == 0 {
		return t.Final[w.keys[l]]
	}
	return t.Steps[len(t.Steps)-1].Value[bits.TrailingZeros64(w.mask(l))]
}

// adders is how many lanes are the first of their peers.
func (w warpGroups) adders(t apps.PeersTrace) int {
	n := 0
	for l := range w.keys {
		n += papers.One(t.Position[l] == 0)
	}
	return n
}

// printedReduce is reduce_peers as [westphal15] prints it, its missing brace
// before the last lines: __shfl takes the lane modulo 32, and a shift by 32 gives
// 0, as the hardware does.
func printedReduce(peers [32]uint32, x [32]float64) (results [32]float64) {
	var first, position [32]int
	for lane := range 32 {
		first[lane] = bits.TrailingZeros32(peers[lane])
		position[lane] = bits.OnesCount32(peers[lane] << (32 - lane))
		peers[lane] &= 0xfffffffe << lane
	}
	for peers != [32]uint32{} {
		before, done := x, uint32(0)
		for lane := range 32 {
			next := (bits.TrailingZeros32(peers[lane]) + 1) % 33 // __ffs: 0 if there is none
			if next != 0 {
				x[lane] += before[(next-1)&31]
			}
			done |= uint32(position[lane]&1) << lane
			position[lane] >>= 1
		}
		for lane := range 32 {
			peers[lane] &^= done
		}
	}
	for lane := range 32 {
		results[lane] = x[first[lane]]
	}
	return results
}

// printedSums reports whether the printed listing gives each lane the sum of its
// peers.
func (w warpGroups) printedSums(seed uint64) bool {
	rng := rand.New(rand.NewPCG(seed, 9))
	var peers [32]uint32
	var x [32]float64
	sums := map[uint32]float64{}
	for l, key := range w.keys {
		peers[l], x[l] = uint32(w.mask(l)), float64(rng.IntN(15)-7)/8
		sums[key] += x[l]
	}
	results := printedReduce(peers, x)
	return w.same(func(l int) bool { return results[l] == sums[w.keys[l]] })
}

// steps follows get_peers and reduce_peers.
func steps(ctx context.Context, o papers.Options) (papers.Outcome, error) {
	var h followed
	for i := range tracedWarps {
		if err := ctx.Err(); err != nil {
			return papers.Outcome{}, err
		}
		keys := tracedKeys(o.Seed, i)
		t, err := tracePeers(keys, o.Seed+uint64(i))
		if err != nil {
			return papers.Outcome{}, fmt.Errorf("warp %d: %w", i, err)
		}
		h.follow(keys, t)
		h.printed += papers.One(groupsOf(keys).printedSums(o.Seed + uint64(i)))
		o.Progress(float64(i), tracedWarps)
	}
	var f findings
	f.stepRows(h)
	return f.walkthrough(o)
}

func (f *findings) stepRows(h followed) {
	row := func(item string, warps int) {
		f.State(item, 100*float64(warps)/tracedWarps, warps == tracedWarps)
	}
	row("get_peers: bit patterns", h.masks)
	row("get_peers: turns of the loop", h.passes)
	row("reduce_peers: relative index", h.positions)
	row("reduce_peers: which element is added next", h.next)
	row("reduce_peers: lanes reduced away in iteration i", h.away)
	row("reduce_peers: iterations", h.iterations)
	row("sum of each group", h.sums)
	row("atomic operations of a warp", h.adds)
	row("reduce_peers as it is printed", h.printed)
}

// number reads the bit pattern of a double.
func number(pattern uint64) float64 { return math.Float64frombits(pattern) }
