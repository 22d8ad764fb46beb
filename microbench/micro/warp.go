package micro

import (
	"fmt"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/quantile"
)

// warpOperations are instructions of a warp. The time of one depends on how many
// different words the lanes hold where keys has more than one number.
var warpOperations = []struct {
	name, module string
	major        int // least compute capability
	keys         []uint32
}{
	{"alu_add", "warp", 0, []uint32{1}},
	{"shuffle", "warp", 0, []uint32{1}},
	{"ballot", "warp", 0, []uint32{1}},
	{"popc", "warp", 0, []uint32{1}},
	{"reduce_add", "warp_redux", 8, []uint32{1}},
	{"match_any", "warp_match", 7, []uint32{1, 2, 4, 8, 16, 32}},
}

// warpInstructions notes the cycles of an SM for one instruction of each operation
// that the device has. latency is that of one warp's chain, which holds what makes its
// operations dependent: ballot a comparison, match_any a logical operation. throughput
// is that of 32 warps of one SM with four chains each.
func (b *bench) warpInstructions(name string) {
	prefix, threads, chains := "warp_chain_", warpLanes, 1
	if name == "throughput" {
		prefix, threads, chains = "warp_throughput_", blockThreads, 4
	}
	sink := b.Alloc(uint64(4 * threads))
	l := device.Shape{Blocks: 1, Threads: threads}
	for _, op := range warpOperations {
		if !b.capable(op.major, op.name) {
			continue
		}
		k := b.Kernel(op.module, prefix+op.name)
		for _, keys := range op.keys {
			b.busy(fmt.Sprintf("%s op=%s keys=%d", name, op.name, keys), k, l, chains*threads/warpLanes, chainLength,
				span, func(_ int, steps uint32, slot driver.Memory) []any {
					return []any{keys, uint32(0), steps, sink, slot}
				})
		}
	}
}

func (b *bench) barriers(string) {
	k := b.Kernel("warp", "warp_barrier")
	for _, threads := range powers(warpLanes, blockThreads, 2) {
		l := device.Shape{Blocks: 1, Threads: int(threads)}
		b.busy(fmt.Sprintf("barrier threads=%d", threads), k, l, 1, chainLength, span,
			func(_ int, steps uint32, slot driver.Memory) []any { return []any{steps, slot} })
	}
}

// issue measures at which rate an SM issues arithmetic, against its warps, each
// with eight independent chains. Additions go to two kinds of units in turn where
// the device has them, shifts to one kind.
func (b *bench) issue(string) {
	for _, op := range []string{"alu_add", "alu_shift"} {
		k := b.Kernel("warp", "warp_issue_"+op)
		for _, warps := range powers(1, 64, 2) {
			b.issueRate(fmt.Sprintf("issue op=%s warps=%d", op, warps), k, int(warps))
		}
	}
}

// issueRate is that of an SM with so many warps. More than one block has come as two blocks on every SM, where
// the device holds them.
func (b *bench) issueRate(reading string, k driver.Kernel, warps int) {
	const chains, steps = 8, 4 * chainLength
	l := device.Shape{Blocks: 1, Threads: warpLanes * warps}
	if l.Threads > blockThreads {
		l = device.Shape{Blocks: 2 * uint64(b.sms()), Threads: l.Threads / 2}
		if b.Resident(k, l.Threads, 0) < 2 {
			return
		}
	}
	defer b.Scope()()
	sink := b.Alloc(uint64(4 * int(l.Blocks) * l.Threads))
	median := func(all []interval) float64 { // of the SMs that got so many warps
		bySM := map[uint64][]interval{}
		for _, i := range all {
			bySM[i.sm] = append(bySM[i.sm], i)
		}
		spans := []float64{}
		for _, on := range bySM {
			if len(on) == warps {
				spans = append(spans, span(on))
			}
		}
		if len(spans) == 0 {
			return 0
		}
		return quantile.Of(spans, 0.5)
	}
	b.busy(reading, k, l, chains*warps, steps, median, func(_ int, steps uint32, slot driver.Memory) []any {
		return []any{uint32(warpLanes), uint32(0), steps, sink, slot}
	})
}
