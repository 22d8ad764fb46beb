package micro

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/bindings/cuda/ptx"
	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/quantile"
)

var sharedOperations = []string{
	"u32_load", "u32_store", "u32_add", "u32_add_one_unused", "u32_min",
	"f32_add", "u64_add", "f64_add", "u32_casloop",
}

var contendedOperations = []string{"u32_add", "f32_add", "f64_add", "u32_casloop"}

type conflict struct {
	kind   string // none, position or bank; in global memory line, position or lines
	degree int    // lanes that collide, or lines
}

// conflicts lists the first kind, and of each other kind all degrees.
func conflicts(degrees []int, first string, others ...string) []conflict {
	all := []conflict{{first, 1}}
	for _, kind := range others {
		for _, degree := range degrees {
			all = append(all, conflict{kind, degree})
		}
	}
	return all
}

func sharedConflicts(degrees []int) []conflict { return conflicts(degrees, "none", "position", "bank") }

// word is the word of a lane. By position, groups of degree lanes share a word, and the groups'
// words lie in different banks; by bank, the lanes of a group have different words, 32 words apart.
func (c conflict) word(lane int) int {
	group := lane / c.degree
	if c.kind == "bank" {
		return group + warpLanes*(lane%c.degree)
	}
	return group
}

func (c conflict) words() int {
	if c.kind == "bank" {
		return warpLanes * c.degree
	}
	return warpLanes
}

func laneWords(of func(lane int) int) []byte {
	words := make([]uint32, warpLanes)
	for lane := range words {
		words[lane] = uint32(of(lane))
	}
	return driver.Bytes(words)
}

// sharedThroughput measures the cycles of the SM for one warp's operation, against
// the warps of the SM and the conflicts of their lanes. Each warp has words of its
// own; where they have no room together, there is no reading.
func (b *bench) sharedThroughput(op string) {
	k := b.Kernel("shared_throughput", "shared_throughput_"+op)
	lanes := b.Alloc(4 * warpLanes)
	for _, c := range sharedConflicts(pick(b, []int{2, 4, 8, 16, 32}, []int{2, 8, 32})) {
		b.Write(lanes, laneWords(c.word))
		for _, warps := range pick(b, []int{1, 2, 4, 8, 16, 32}, []int{1, 2, 4, 32}) {
			bytes := uint64(warps*c.words()) * elementBytes(op)
			if bytes > sharedLimit(b.device) {
				continue
			}
			l := device.Shape{Blocks: 1, Threads: warps * warpLanes, SharedBytes: bytes}
			b.busy(fmt.Sprintf("throughput op=%s conflict=%s degree=%d warps=%d", op, c.kind, c.degree, warps),
				k, l, warps, 64, span, func(_ int, steps uint32, slot driver.Memory) []any {
					return []any{lanes, uint32(c.words()), operand(op, 1), steps, slot}
				})
		}
	}
}

// contention is how the warps of a block collide: the first lanes of the first
// warps use words that these warps share, lane by lane; all others use words of
// their own warp. degree neighbouring lanes share a word.
type contention struct{ warps, collidingWarps, collidingLanes, degree int }

func contentions(quick bool) []contention {
	warps, colliding := []int{1, 2, 4, 8, 16, 32}, []int{0, 1, 2, 4, 8, 16, 32}
	lanes, degrees := []int{1, 2, 8, 16, 32}, []int{1, 2, 8, 32}
	if quick {
		warps, colliding = []int{1, 2, 8, 32}, []int{0, 1, 2, 8, 32}
		lanes, degrees = []int{1, 8, 32}, []int{1, 8, 32}
	}
	var all []contention
	for _, w := range warps {
		for _, c := range colliding {
			for _, l := range lanes {
				for _, d := range degrees {
					if c <= w && (c > 0 || l == 1) {
						all = append(all, contention{w, c, l, d})
					}
				}
			}
		}
	}
	return all
}

// sharedContention measures additions to words that warps share.
func (b *bench) sharedContention(op string) {
	k := b.Kernel("shared_contention", "shared_contention_"+op)
	sink := b.Alloc(blockThreads * elementBytes(op))
	for _, c := range contentions(b.quick) {
		words := uint64((1+c.warps)*warpLanes + 1)
		l := device.Shape{Blocks: 1, Threads: c.warps * warpLanes, SharedBytes: words * elementBytes(op)}
		b.chain(fmt.Sprintf("contention op=%s warps=%d colliding_warps=%d colliding_lanes=%d degree=%d",
			op, c.warps, c.collidingWarps, c.collidingLanes, c.degree), k, l, 1,
			func(_ int, steps uint32, slot driver.Memory) []any {
				return []any{operand(op, 1), uint32(c.collidingWarps), uint32(c.collidingLanes), uint32(c.degree),
					steps, sink, slot}
			})
	}
}

var scratchpadColumns = []string{
	"u32_load", "u32_store", "u32_add", "u32_inc", "u32_min", "u32_exch", "u32_casloop", "u32_casfree",
	"f32_add", "f32_casloop", "f32_casfree",
	"u64_load", "u64_store", "u64_add", "u64_exch", "f64_add", "f64_casloop",
}

// Patterns are the rows of scratchpad.csv: those of the structured and of the random set that have
// room in the device's shared memory as words of 8 bytes. A quick run takes a sixth of them.
func Patterns(d driver.Description, o Options) []patterns.Pattern {
	const perSpace = 27
	all := append(patterns.Structured(), patterns.Random(1, perSpace)...)
	all = slices.DeleteFunc(all, func(p patterns.Pattern) bool {
		return slices.Max(p) >= int32(scratchpadWords(d))
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
func scratchpadWords(d driver.Description) int { return min(patterns.Words, int(sharedLimit(d))/8-1) }

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
	input := b.Upload(driver.Bytes(slices.Concat(rows...)))
	sink := b.Alloc(uint64(len(rows)*warpLanes) * elementBytes(column))
	spans := b.Zeros(uint64(8 * len(rows)))
	l := b.blocksAlone(len(rows), warpLanes)
	all := make([][]float64, len(rows)) // by row and repeat
	words := make([]uint64, len(rows))
	b.Repeat(b.repeats, func(int) float64 {
		b.Launch(k, l, input, uint32(scratchpadWords(b.device)), operand(column, 1), sink, spans)
		b.Read(driver.Bytes(words), spans)
		for i, w := range words {
			if w == 0 {
				b.Fail(fmt.Errorf("%w: pattern %d took no time", driver.ErrLaunch, i))
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
		Launch: l.Recorded(), Unroll: unrollOf(k.Name()),
	}
	for _, cycles := range all {
		p.Cycles = append(p.Cycles, quantile.Of(cycles, 0.5))
		p.Low, p.High = append(p.Low, slices.Min(cycles)), append(p.High, slices.Max(cycles))
	}
	b.result.Patterns = append(b.result.Patterns, p)
}
