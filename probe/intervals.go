package probe

import "fmt"

// intervals is device memory in which each warp of a launch leaves when it began
// and ended, by the clock of its SM, and which SM that is. There is one slot for
// each launch that is read together with others.
type intervals struct {
	memory       Memory
	slots, warps int
}

const intervalWords = 3

func (b *bench) intervals(slots, warps int) (*intervals, error) {
	m, err := b.zeros(uint64(slots * warps * intervalWords * 8))
	return &intervals{m, slots, warps}, err
}

// slot is the memory to give to a launch.
func (v *intervals) slot(i int) Memory {
	bytes := uint64(v.warps * intervalWords * 8)
	return Memory{Address: v.memory.Address + uint64(i)*bytes, Bytes: bytes}
}

// interval is what one warp left.
type interval struct{ start, stop, sm uint64 }

// read waits for the launches and returns what the first warps of each slot left.
func (v *intervals) read(g GPU, warps int) ([][]interval, error) {
	words := make([]uint64, v.slots*v.warps*intervalWords)
	if err := g.Download(bytesOf(words), v.memory); err != nil {
		return nil, err
	}
	all := make([][]interval, v.slots)
	for s := range all {
		for w := range warps {
			i := words[(s*v.warps+w)*intervalWords:]
			if i[1] <= i[0] {
				return nil, fmt.Errorf("%w: warp %d of launch %d ended at cycle %d, began at %d", ErrLaunch, w, s, i[1], i[0])
			}
			all[s] = append(all[s], interval{i[0], i[1], i[2]})
		}
	}
	return all, nil
}

// span is the time in cycles from the first start to the last stop. All
// intervals, at least one, come from one SM.
func span(all []interval) float64 {
	first, last := all[0].start, all[0].stop
	for _, i := range all {
		first, last = min(first, i.start), max(last, i.stop)
	}
	return float64(last - first)
}

// chain launches one warp once for each repeat and returns the cycles of one of
// the 64 operations of its chain.
func (b *bench) chain(k benchKernel, l Launch, args func(slot Memory) []any) ([]float64, error) {
	v, err := b.intervals(b.repeats, l.Threads/warpLanes)
	if err != nil {
		return nil, err
	}
	defer b.release(v.memory)
	for r := range b.repeats {
		if err := b.g.Launch(k.Kernel, l, args(v.slot(r))...); err != nil {
			return nil, err
		}
	}
	spans, err := v.read(b.g, v.warps)
	if err != nil {
		return nil, err
	}
	return b.repeat(func(r int) (float64, error) { return span(spans[r]) / chainLength, nil })
}

// busy launches one block, for each repeat with steps and with three times as many
// steps, and returns the cycles of the SM that a step took: from the difference,
// which holds neither start nor end.
func (b *bench) busy(k benchKernel, l Launch, steps uint32, args func(steps uint32, slot Memory) []any) ([]float64, error) {
	v, err := b.intervals(2*b.repeats, l.Threads/warpLanes)
	if err != nil {
		return nil, err
	}
	defer b.release(v.memory)
	for r := range b.repeats {
		for i, n := range []uint32{steps, 3 * steps} {
			if err := b.g.Launch(k.Kernel, l, args(n, v.slot(2*r+i))...); err != nil {
				return nil, err
			}
		}
	}
	spans, err := v.read(b.g, v.warps)
	if err != nil {
		return nil, err
	}
	return b.repeat(func(r int) (float64, error) {
		return perStep(k, span(spans[2*r]), span(spans[2*r+1]), steps)
	})
}

// perStep is the time of a step, where steps took short and three times as many
// took long.
func perStep(k benchKernel, short, long float64, steps uint32) (float64, error) {
	if !(long > short) {
		return 0, fmt.Errorf("%w: %s: %d steps took %g, three times as many %g", ErrLaunch, k.Name(), steps, short, long)
	}
	return (long - short) / float64(2*steps), nil
}

// release frees one piece before the others.
func (b *bench) release(m Memory) {
	for i, held := range b.held {
		if held.Address == m.Address {
			b.held = append(b.held[:i], b.held[i+1:]...)
			b.g.Free(m)
			return
		}
	}
}
