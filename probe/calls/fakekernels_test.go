package calls

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/atomtune/atomtune/gpu/driver"
	"github.com/atomtune/atomtune/variant"
)

// words reads and writes elements of a kernel's type.
type words struct {
	kind  string // u32, f32, u64, f64
	bytes []byte
}

func (w words) size() int {
	if w.kind[1] == '6' {
		return 8
	}
	return 4
}

func (w words) get(i uint64) float64 {
	switch b := w.bytes[i*uint64(w.size()):]; w.kind {
	case "u32":
		return float64(binary.LittleEndian.Uint32(b))
	case "f32":
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case "u64":
		return float64(binary.LittleEndian.Uint64(b))
	default:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
}

func (w words) set(i uint64, v float64) {
	switch b := w.bytes[i*uint64(w.size()):]; w.kind {
	case "u32":
		binary.LittleEndian.PutUint32(b, uint32(v))
	case "f32":
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(v)))
	case "u64":
		binary.LittleEndian.PutUint64(b, uint64(v))
	default:
		binary.LittleEndian.PutUint64(b, math.Float64bits(v))
	}
}

func (g *callsGPU) words(kind string, m any) words { return words{kind, g.at(m.(driver.Memory))} }

// perform executes a kernel by its name.
func (g *callsGPU) perform(l callsLaunch) error {
	parts := strings.Split(strings.TrimSuffix(l.kernel, "_x4"), "_")
	kind := parts[len(parts)-1]
	switch {
	case l.kernel == "nothing":
	case l.kernel == "copy_stream": // at 4 TB/s
		copied := min(len(g.at(l.args[0].(driver.Memory))), len(g.at(l.args[1].(driver.Memory))))
		g.clockUS += 2 * float64(copied) / 4e6
	case l.kernel == "sample_hot": // the last target of each slot
		tags, index := g.words("u32", l.args[0]), g.words("u32", l.args[1])
		for slot := range l.args[3].(uint32) {
			tags.set(uint64(slot), variant.NoTarget)
		}
		for u := range l.args[2].(uint64) {
			target := uint32(index.get(u))
			tags.set(uint64(variant.Slot(target, int(l.args[3].(uint32)))), float64(target))
		}
	case l.kernel == "gather_index":
		out, index, order := g.words("u32", l.args[0]), g.words("u32", l.args[1]),
			g.words("u32", l.args[2])
		for p := range l.args[3].(uint64) {
			out.set(p, index.get(uint64(order.get(p))))
		}
	case strings.HasPrefix(l.kernel, "make_values_"):
		g.makeValues(kind, l.args)
	case strings.HasPrefix(l.kernel, "sum_partials_"):
		target, partial := g.words(kind, l.args[0]), g.words(kind, l.args[1])
		blocks := uint64(l.args[3].(uint32))
		for k := range uint64(l.args[2].(uint32)) {
			for b := range blocks {
				target.set(k, target.get(k)+partial.get(k*blocks+b))
			}
		}
	case strings.HasPrefix(l.kernel, "check_old_"):
		g.checkOld(kind, l.args)
	case strings.HasPrefix(l.kernel, "check_"):
		g.check(kind, l.args)
	case parts[0] == "update":
		g.update(parts[1:len(parts)-2], parts[len(parts)-2], kind == "one", l)
	default:
		return fmt.Errorf("%w: no kernel %s", driver.ErrModule, l.kernel)
	}
	return nil
}

func (g *callsGPU) makeValues(kind string, args []any) {
	values := g.words(kind, args[0])
	for p := range args[2].(uint64) {
		u := p
		if args[1].(driver.Memory).Address != 0 {
			u = uint64(g.words("u32", args[1]).get(p))
		}
		h := uint32(u) * 2654435761
		h = (h ^ h>>15) * 2246822519
		values.set(p, float64(1+(h>>16)%3))
	}
}

// update performs an updating kernel. Thread-private sums all go to the partial
// ones of the first block.
func (g *callsGPU) update(form []string, kind string, one bool, l callsLaunch) {
	args := l.args[1:]
	take := func() any { a := args[0]; args = args[1:]; return a }
	target, old := g.words(kind, l.args[0]), words{}
	if form[len(form)-1] == "old" {
		old = g.words(kind, take())
	}
	index, values := g.words("u32", take()), words{}
	if !one {
		values = g.words(kind, take())
	}
	updates, apart := take().(uint64), uint64(1)
	if form[0] == "threadprivate" {
		apart = uint64(l.shape.Blocks)
		clear(target.bytes)
	}
	if form[0] == "hot" {
		g.checkTags(g.words("u32", args[0]), index, updates, int(args[1].(uint32)))
	}
	for u := range updates {
		v := 1.0
		if !one {
			v = values.get(u)
		}
		i := uint64(index.get(u)) * apart
		if old.bytes != nil {
			old.set(u, target.get(i))
		}
		target.set(i, target.get(i)+v)
	}
	if g.fault != nil {
		g.fault(l.kernel, target.bytes, old.bytes)
	}
}

// checkTags fails unless each tag is a target of the stream in its own slot, and each slot that a
// target of the stream could have holds one.
func (g *callsGPU) checkTags(tags, index words, updates uint64, slots int) {
	occurs, could := map[uint32]bool{}, map[int]bool{}
	for u := range updates {
		target := uint32(index.get(u))
		occurs[target], could[variant.Slot(target, slots)] = true, true
	}
	for slot := range slots {
		tag := uint32(tags.get(uint64(slot)))
		if could[slot] && (!occurs[tag] || variant.Slot(tag, slots) != slot) ||
			!could[slot] && tag != variant.NoTarget {
			g.wrongTags++
		}
	}
}

func (g *callsGPU) check(kind string, args []any) {
	target, counts := g.words(kind, args[0]), g.words("u32", args[2])
	result := g.at(args[4].(driver.Memory))
	for k := range args[3].(uint64) {
		want := counts.get(k)
		if args[1].(driver.Memory).Address != 0 {
			want = g.words("u64", args[1]).get(k)
		}
		if target.get(k) != want {
			binary.LittleEndian.PutUint64(result, binary.LittleEndian.Uint64(result)+1)
			binary.LittleEndian.PutUint64(result[8:], min(k, binary.LittleEndian.Uint64(result[8:])))
		}
	}
}

// checkOld follows each target through its returned values, which for values
// above 0 are all different: from 0 each step leads to the next.
func (g *callsGPU) checkOld(kind string, args []any) {
	target, old := g.words(kind, args[0]), g.words(kind, args[1])
	index, values := g.words("u32", args[2]), g.words(kind, args[3])
	type state struct {
		target uint64
		value  float64
	}
	step := map[state]float64{}
	for u := range args[4].(uint64) {
		step[state{uint64(index.get(u)), old.get(u)}] = values.get(u)
	}
	steps := 0
	for k := range args[5].(uint64) {
		at := 0.0
		for step[state{k, at}] > 0 {
			at, steps = at+step[state{k, at}], steps+1
		}
		if at != target.get(k) {
			steps = -1
			break
		}
	}
	if uint64(steps) != args[4].(uint64) {
		g.at(args[6].(driver.Memory))[0] = 1
	}
}
