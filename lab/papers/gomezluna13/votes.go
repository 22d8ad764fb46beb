package gomezluna13

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/apps"
	"github.com/atomtune/atomtune/lab/papers"
)

// voting is a voting process on a GeForce GTX 580.
type voting struct {
	layout
	components      int // beside the counter
	blocks, threads int
}

// process returns the simulator's process.
func (v voting) process(d *device.Profile, seed uint64) apps.Votes {
	spaces := []device.Type{device.U32}
	for range v.components {
		spaces = append(spaces, device.F32)
	}
	return apps.Votes{
		Device: d, Blocks: v.blocks, Threads: v.threads, Size: v.words, Spaces: spaces,
		Replicas: v.copies, Pad: v.pad, Map: v.mapping, Seed: seed,
	}
}

// runs reports whether the device can run the process.
func (v voting) runs(d *device.Profile) bool { return v.process(d, 0).Validate() == nil }

// mostVotes is the largest replication factor up to 32 of vote spaces of so
// many words.
func mostVotes(d *device.Profile, words, components int) int {
	v := voting{layout{words: words, copies: lanes}, components, voteBlocks, voteThreads}
	for !v.runs(d) && v.copies > 1 {
		v.copies--
	}
	return v.copies
}

// times are the mean simulated times of processes in microseconds.
type times map[voting]float64

// time simulates every process repeats times on the indices that of gives for
// its number of words.
func timesOf(ctx context.Context, o papers.Options, all []voting, repeats int,
	of func(words, repeat int) []uint32) (times, error) {
	d, err := gtx580()
	if err != nil {
		return nil, err
	}
	all = distinct(all)
	us := make([]float64, len(all)*repeats)
	err = o.Share(ctx, len(us), func() (func(int) error, error) {
		drawn := map[[2]int]stream{} // by number of words and repeat
		return func(task int) (err error) {
			v, repeat := all[task/repeats], task%repeats
			s, known := drawn[[2]int{v.words, repeat}]
			if !known {
				s = newStream(of(v.words, repeat))
				drawn[[2]int{v.words, repeat}] = s
			}
			us[task], err = o.Simulated(v.run(o.Seed, s), func() (float64, error) {
				result, err := v.process(d, o.Seed).Run(s.indices)
				return result.US, err
			})
			return err
		}, nil
	})
	if err != nil {
		return nil, err
	}
	means := times{}
	for task, t := range us {
		means[all[task/repeats]] += t / float64(repeats)
	}
	return means, nil
}

// stream is the indices of a process and their hash.
type stream struct {
	indices []uint32
	hash    uint64
}

func newStream(indices []uint32) stream {
	hash := fnv.New64a()
	// A hash takes whatever is written.
	_ = binary.Write(hash, binary.LittleEndian, indices)
	return stream{indices, hash.Sum64()}
}

// run names the process on these indices.
func (v voting) run(seed uint64, s stream) string {
	return fmt.Sprintf("gomezluna13 %d words, %d components | "+
		"%d copies, pad %d, mapping %d, %d blocks of %d, seed %d, %x",
		v.words, v.components, v.copies, v.pad, v.mapping, v.blocks, v.threads, seed, s.hash)
}

// distinct leaves out processes that are listed before.
func distinct(all []voting) []voting {
	var once []voting
	seen := map[voting]bool{}
	for _, v := range all {
		if !seen[v] {
			once, seen[v] = append(once, v), true
		}
	}
	return once
}
