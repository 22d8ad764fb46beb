package micro

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/cuda/ptx"
	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/probe/gpu"
	"github.com/atomtune/atomtune/probe/job"
)

var scratchpadColumns = []string{
	"u32_load", "u32_store", "u32_add", "u32_inc", "u32_min", "u32_exch", "u32_casloop", "u32_casfree",
	"f32_add", "f32_casloop", "f32_casfree",
	"u64_load", "u64_store", "u64_add", "u64_exch", "f64_add", "f64_casloop",
}

// Patterns are the rows of scratchpad.csv: those of the structured and of the random
// set that have room in the device's shared memory as words of 8 bytes. A quick run
// takes a sixth of them.
func Patterns(d gpu.Description, o Options) []patterns.Pattern {
	const perSpace = 27
	all := append(patterns.Structured(), patterns.Random(1, perSpace)...)
	words := scratchpadWords(d)
	all = slices.DeleteFunc(all, func(p patterns.Pattern) bool {
		return slices.Max(p) >= int32(words)
	})
	if !o.Quick {
		return all
	}
	// One of each six, in turn the first, the second and so on: the sets repeat
	// after multiples of six.
	var some []patterns.Pattern
	for i := 0; 6*i+i%6 < len(all); i++ {
		some = append(some, all[6*i+i%6])
	}
	return some
}

// scratchpadWords is how many words the patterns may address. One more is needed,
// to which no lane goes.
func scratchpadWords(d gpu.Description) int { return min(patterns.Words, int(sharedLimit(d))/8-1) }

func (b *bench) scratchpad(column string) {
	module := "scratchpad"
	if strings.HasSuffix(column, "casfree") {
		module = "scratchpad_casfree"
		if !b.capable(7, "column "+column) {
			return
		}
	}
	k := b.Kernel(module, "scratchpad_"+column)
	rows := Patterns(b.device, Options{Quick: b.quick})
	input := b.Upload(gpu.Bytes(patternWords(rows)))
	sink := b.Alloc(uint64(len(rows)*warpLanes) * elementBytes(column))
	spans := b.Zeros(uint64(8 * len(rows)))
	l := b.blocksAlone(len(rows), warpLanes)
	all := make([][]float64, len(rows)) // by row and repeat
	words := make([]uint64, len(rows))
	b.repeat(func(int) float64 {
		b.Launch(k, l, input, uint32(scratchpadWords(b.device)), operand(column, 1), sink, spans)
		b.Read(gpu.Bytes(words), spans)
		for i, w := range words {
			if w == 0 {
				b.Fail(fmt.Errorf("%w: pattern %d took no time", gpu.ErrLaunch, i))
			}
			all[i] = append(all[i], float64(w)/chainLength)
		}
		return 0
	})
	if b.Err() != nil {
		return
	}
	p := recordings.ScratchpadColumn{
		Name: column, Repeats: b.repeats, Kernel: k.Name(), Instruction: ptx.Atomics(module, k.Name()),
		Launch: l.String(), Unroll: unrollOf(k.Name()),
	}
	for _, repeats := range all {
		p.Cycles = append(p.Cycles, job.Median(repeats))
		p.Low = append(p.Low, slices.Min(repeats))
		p.High = append(p.High, slices.Max(repeats))
	}
	b.result.Patterns = append(b.result.Patterns, p)
}

func patternWords(rows []patterns.Pattern) []uint32 {
	words := make([]uint32, 0, warpLanes*len(rows))
	for _, p := range rows {
		for _, word := range p {
			words = append(words, uint32(word))
		}
	}
	return words
}
