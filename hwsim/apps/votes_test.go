package apps

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
)

// kMeans returns the vote spaces of objects of so many f32 components.
func kMeans(components int) []device.Type {
	spaces := []device.Type{device.U32}
	for range components {
		spaces = append(spaces, device.F32)
	}
	return spaces
}

// plainSums adds up a voting process update by update, apart from Reference.
func plainSums(v Votes, indices []uint32) [][]float64 {
	sums := make([][]float64, len(v.Spaces))
	for i, t := range v.Spaces {
		sums[i] = make([]float64, v.Size)
		drawn := arith.Values(device.Call{Type: t}, v.Seed+uint64(i), len(indices))
		for at, x := range indices {
			switch {
			case i == 0:
				sums[i][x]++
			case t == device.F32:
				sums[i][x] += float64(math.Float32frombits(uint32(drawn[at])))
			case t == device.I32:
				sums[i][x] += float64(int32(drawn[at]))
			default:
				sums[i][x] += float64(drawn[at])
			}
		}
	}
	return sums
}

// sumsOf returns the result's sums as numbers.
func sumsOf(v Votes, r VotesResult) [][]float64 {
	sums := make([][]float64, len(r.Sums))
	for i, space := range r.Sums {
		for _, bits := range space {
			x := float64(bits)
			switch v.Spaces[i] {
			case device.F32:
				x = float64(math.Float32frombits(uint32(bits)))
			case device.I32:
				x = float64(int32(bits))
			}
			sums[i] = append(sums[i], x)
		}
	}
	return sums
}

// checkVotes runs the process and compares its sums with plain addition.
func checkVotes(t *testing.T, v Votes, indices []uint32) {
	t.Helper()
	kept := slices.Clone(indices)
	r, err := v.Run(indices)
	got, want := sumsOf(v, r), plainSums(v, kept)
	if err != nil || !r.Correct || !reflect.DeepEqual(got, want) || !slices.Equal(indices, kept) {
		t.Fatalf("%s: %+v of %d updates: correct %v, %v\ngot  %v\nwant %v", v.Device.Name, v, len(indices),
			r.Correct, err, got, want)
	}
	if r.Cycles == 0 || r.CallUS < r.US || r.WarpInstructions == 0 {
		t.Fatalf("%+v: empty counts in the result", v)
	}
}

// TestVotesSums draws devices, launches, mappings, pads, numbers of copies and of vote spaces,
// over random streams whose last warp is partial.
func TestVotesSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 2))
	devices := []string{"gtx580", "h200", "gtx680", "c2075", "hd5870"}
	const rounds = 160
	ragged := 0
	for round := range rounds {
		v := Votes{
			Device: appProfile(t, devices[round%5]), Blocks: 1 + rng.IntN(40), Threads: 1 + rng.IntN(256),
			Size: 1 + rng.IntN(90), Spaces: kMeans(0), Pad: rng.IntN(4), Seed: rng.Uint64(),
			Map: impl.Mapping(rng.IntN(2)),
		}
		v.Replicas = rng.IntN(min(v.Threads, 40) + 1)
		for range rng.IntN(4) {
			v.Spaces = append(v.Spaces, []device.Type{device.F32, device.I32, device.U32}[round%3])
		}
		if v.Threads%32 != 0 {
			ragged++
		}
		indices := make([]uint32, 1+rng.IntN(1200))
		for i := range indices {
			indices[i] = uint32(rng.IntN(v.Size))
		}
		checkVotes(t, v, indices)
	}
	if ragged < rounds/2 {
		t.Errorf("only %d launches with a partial warp per block", ragged)
	}
}

// copyOf returns the words at which each thread's copy begins, from the
// kernel's own instructions.
func copyOf(t *testing.T, v Votes) []uint32 {
	t.Helper()
	b := newVoter(v)
	b.findCopy()
	b.Store(kernel.BufTarget, b.thread, b.copyAt)
	m := machine.NewMachine(v.Device, device.Call{})
	m.Buffers = []*machine.Buffer{machine.Counters(uint64(v.Threads))}
	if _, err := m.Launch(b.Done(), device.Shape{Blocks: 1, Threads: v.Threads, BlocksPerSM: 1}, 0); err != nil {
		t.Fatal(err)
	}
	return m.Buffers[kernel.BufTarget].Words
}

// TestVoteCopies compares each thread's copy with [gomezluna13] offsets (1)
// and (2).
func TestVoteCopies(t *testing.T) {
	checked := 0
	for _, n := range []int{1, 7, 32, 96, 100, 1000, 1024} {
		for r := 1; r <= min(n, 40); r++ {
			v := Votes{Device: appProfile(t, "gtx580"), Threads: n, Size: 60, Replicas: r, Pad: r % 3}
			cyclic := copyOf(t, v)
			v.Map = impl.Block
			block := copyOf(t, v)
			for thread := range n {
				step := v.Size + v.Pad
				if want := uint32(step * (thread % r)); cyclic[thread] != want {
					t.Fatalf("N=%d R=%d cyclic: thread %d begins at %d, want %d", n, r, thread, cyclic[thread],
						want)
				}
				if want := uint32(step * (thread / (n / r) % r)); block[thread] != want {
					t.Fatalf("N=%d R=%d block: thread %d begins at %d, want %d", n, r, thread, block[thread], want)
				}
				checked++
			}
		}
	}
	if checked < 40000 {
		t.Errorf("only %d threads checked", checked)
	}
}

// TestVotesKernel: counts are integers throughout, components are floats. The
// sums do not tell: as bit patterns, small counts add up like floats.
func TestVotesKernel(t *testing.T) {
	v := Votes{Device: appProfile(t, "gtx580"), Blocks: 1, Threads: 32, Size: 9, Spaces: kMeans(2),
		Replicas: 4}
	var votes, flushes []machine.Instruction
	additions := 0
	for _, in := range votesKernel(v).Code {
		switch in.Op {
		case machine.OpAtomicShared:
			votes = append(votes, in)
		case machine.OpAtomic:
			flushes = append(flushes, in)
		case machine.OpAddT:
			additions++
		}
	}
	if len(votes) != 3 || len(flushes) != 3 || additions != 2*3 {
		t.Fatalf("%d votes, %d flushes and %d additions of floats", len(votes), len(flushes), additions)
	}
	for i := range votes {
		counter := i == 0
		if votes[i].Plain != counter || votes[i].One != counter || flushes[i].Plain != counter {
			t.Errorf("vote space %d: vote %+v, flush %+v", i, votes[i], flushes[i])
		}
	}
}

// TestVotesWrongSums: a change of any sum is seen.
func TestVotesWrongSums(t *testing.T) {
	indices := []uint32{3, 1, 2, 0, 3, 3, 1}
	v := Votes{Device: appProfile(t, "gtx580"), Blocks: 1, Threads: 32, Size: 4, Spaces: kMeans(2),
		Seed: 5}
	r, err := v.Run(indices)
	if err != nil || !v.correct(r.Sums, indices) {
		t.Fatalf("correct sums %v are refused, %v", r.Sums, err)
	}
	for _, space := range r.Sums {
		for k := range space {
			space[k] ^= 1
			if v.correct(r.Sums, indices) {
				t.Errorf("wrong sums %v pass", r.Sums)
			}
			space[k] ^= 1
		}
	}
}
