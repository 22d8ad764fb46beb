package probe

import (
	"context"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/datasets/patterns"
)

// scratchpadColumn is an operation of scratchpad.csv.
type scratchpadColumn struct {
	name, module string
	major        int // least compute capability
}

// scratchpadColumns are in the order of the file.
func scratchpadColumns() []scratchpadColumn {
	var all []scratchpadColumn
	for _, name := range []string{
		"u32_load", "u32_store", "u32_add", "u32_inc", "u32_min", "u32_exch", "u32_casloop", "u32_casfree",
		"f32_add", "f32_casloop", "f32_casfree",
		"u64_load", "u64_store", "u64_add", "u64_exch", "f64_add", "f64_casloop",
	} {
		c := scratchpadColumn{name: name, module: "scratchpad"}
		if name[4:] == "casfree" {
			c.module, c.major = "scratchpad_casfree", 7
		}
		all = append(all, c)
	}
	return all
}

// scratchpadPatterns are the rows of scratchpad.csv: those of the structured and of
// the random set that have room in the device's shared memory as words of 8 bytes.
// A quick run takes a sixth of them.
func scratchpadPatterns(d Description, o Options) []patterns.Pattern {
	const perSpace = 27
	all := append(patterns.Structured(), patterns.Random(1, perSpace)...)
	words := scratchpadWords(d)
	all = slices.DeleteFunc(all, func(p patterns.Pattern) bool { return slices.Max(p) >= int32(words) })
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
func scratchpadWords(d Description) int {
	return min(patterns.Words, int(d.Attribute("shared_bytes_per_block"))/8-1)
}

// scratchpadJobs plans suite scratchpad, one job for each column.
func scratchpadJobs(d Description, o Options) []Job {
	rows := scratchpadPatterns(d, o)
	var jobs []Job
	for _, c := range scratchpadColumns() {
		jobs = append(jobs, Job{
			Suite: "scratchpad", Key: c.name,
			Run: func(ctx context.Context, g GPU, _ any) (Result, error) {
				b := newBench(ctx, g, d, o, "scratchpad")
				defer b.free()
				if !b.capable(c.major, "column "+c.name) {
					return Result{Warnings: b.warnings}, nil
				}
				cycles, err := b.scratchpad(c, rows)
				if err != nil {
					return Result{}, err
				}
				return Result{Patterns: []PatternCycles{*cycles}}, nil
			},
		})
	}
	return jobs
}

// scratchpad measures a column: one warp for each pattern, alone on its SM.
func (b *bench) scratchpad(c scratchpadColumn, rows []patterns.Pattern) (*PatternCycles, error) {
	k, err := b.kernel(c.module, "scratchpad_"+c.name)
	if err != nil {
		return nil, err
	}
	input, err := b.upload(bytesOf(laneWords(rows)))
	if err != nil {
		return nil, err
	}
	sink, err := b.alloc(uint64(len(rows)*warpLanes) * elementBytes(c.name))
	if err != nil {
		return nil, err
	}
	spans, err := b.zeros(uint64(8 * len(rows)))
	if err != nil {
		return nil, err
	}
	all := make([][]float64, len(rows)) // by row and repeat
	words := make([]uint64, len(rows))
	_, err = b.repeat(func(int) (float64, error) {
		args := []any{input, uint32(scratchpadWords(b.device)), operand(c.name, 1), sink, spans}
		if err := b.g.Launch(k.Kernel, b.blocksAlone(len(rows), warpLanes), args...); err != nil {
			return 0, err
		}
		if err := b.g.Download(bytesOf(words), spans); err != nil {
			return 0, err
		}
		for i, w := range words {
			if w == 0 {
				return 0, fmt.Errorf("%w: pattern %d took no time", ErrLaunch, i)
			}
			all[i] = append(all[i], float64(w)/chainLength)
		}
		return 0, nil
	})
	if err != nil {
		return nil, err
	}
	p := patternCycles(c.name, k, all)
	p.Instruction, p.Launch, p.Unroll = b.how(k)
	return p, nil
}

// laneWords are the patterns one after the other, in two's complement.
func laneWords(rows []patterns.Pattern) []uint32 {
	words := make([]uint32, 0, warpLanes*len(rows))
	for _, p := range rows {
		for _, word := range p {
			words = append(words, uint32(word))
		}
	}
	return words
}

func patternCycles(column string, k benchKernel, all [][]float64) *PatternCycles {
	p := &PatternCycles{Column: column, Kernel: k.Name()}
	for _, repeats := range all {
		p.Repeats = len(repeats)
		p.Cycles = append(p.Cycles, median(repeats))
		p.Low = append(p.Low, slices.Min(repeats))
		p.High = append(p.High, slices.Max(repeats))
	}
	return p
}
