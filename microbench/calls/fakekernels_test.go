package calls

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/impl"
)

// words reads and writes elements of a kernel's type.
type words struct {
	float, wide bool
	bytes       []byte
}

func (w words) get(i uint64) float64 {
	if w.wide {
		x := binary.LittleEndian.Uint64(w.bytes[8*i:])
		if w.float {
			return math.Float64frombits(x)
		}
		return float64(x)
	}
	x := binary.LittleEndian.Uint32(w.bytes[4*i:])
	if w.float {
		return float64(math.Float32frombits(x))
	}
	return float64(x)
}

func (w words) set(i uint64, v float64) {
	switch {
	case w.wide && w.float:
		binary.LittleEndian.PutUint64(w.bytes[8*i:], math.Float64bits(v))
	case w.wide:
		binary.LittleEndian.PutUint64(w.bytes[8*i:], uint64(v))
	case w.float:
		binary.LittleEndian.PutUint32(w.bytes[4*i:], math.Float32bits(float32(v)))
	default:
		binary.LittleEndian.PutUint32(w.bytes[4*i:], uint32(v))
	}
}

// words are those of a type u32, f32, u64 or f64.
func (g *callsGPU) words(kind string, m any) words {
	return words{kind[0] == 'f', kind[1] == '6', g.at(m.(driver.Memory))}
}

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
			tags.set(uint64(slot), impl.NoTarget)
		}
		for u := range l.args[2].(uint64) {
			target := uint32(index.get(u))
			tags.set(uint64(impl.Slot(target, int(l.args[3].(uint32)))), float64(target))
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
	could, holds := make([]bool, slots), make([]bool, slots)
	for u := range updates {
		target := index.get(u)
		slot := impl.Slot(uint32(target), slots)
		could[slot], holds[slot] = true, holds[slot] || tags.get(uint64(slot)) == target
	}
	for slot := range slots {
		if could[slot] && !holds[slot] || !could[slot] && tags.get(uint64(slot)) != impl.NoTarget {
			g.wrongTags++
		}
	}
}

func (g *callsGPU) check(kind string, args []any) {
	target, counts := g.words(kind, args[0]), g.words("u32", args[2])
	result := g.at(args[4].(driver.Memory))
	wanted := counts
	if args[1].(driver.Memory).Address != 0 {
		wanted = g.words("u64", args[1])
	}
	for k := range args[3].(uint64) {
		want := wanted.get(k)
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
