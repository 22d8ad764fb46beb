package speedup

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
	"pgregory.net/rapid"
)

// runnable are the candidates that can be compiled for a call.
func runnable(d *device.Profile, c device.Call) (list []variant.Variant) {
	for _, v := range candidates() {
		if _, err := Compile(v, d, c); err == nil {
			list = append(list, v)
		}
	}
	return list
}

func TestBundleEqualsModels(t *testing.T) {
	checked := 0
	rapid.Check(t, func(t *rapid.T) {
		d, err := device.Builtin(rapid.SampledFrom(device.Names()).Draw(t, "device"))
		if err != nil {
			t.Fatal(err)
		}
		s := drawAny(t, int(d.Core.WarpLanes.Value))
		c := rapid.SampledFrom(calls()).Draw(t, "call")
		list := runnable(d, c)
		if len(list) == 0 {
			t.Skip("the device adds no such type")
		}
		list = rapid.Permutation(list).Draw(t, "order")
		all, err := CompileAll(list, d, c)
		if err != nil {
			t.Fatal(err)
		}
		out := make([]float64, len(list))
		all.US(&s, out)
		for i, v := range list {
			m, err := Compile(v, d, c)
			if err != nil {
				t.Fatal(err)
			}
			if us := m.US(&s); us != out[i] {
				t.Fatalf("%s: the bundle says %v us, the model %v", v, out[i], us)
			}
			checked++
		}
	})
	if checked < cases(500) {
		t.Errorf("checked %d prices", checked)
	}
}

func TestBundleRefuses(t *testing.T) {
	h200 := builtin(t, "h200")
	all, err := CompileAll(runnable(h200, device.Call{}), h200, device.Call{})
	if err != nil {
		t.Fatal(err)
	}
	s := measure(uniform(640, 10, 1), 10, 64) // warps of another size
	out := make([]float64, len(all.list))
	all.US(&s, out)
	for i, us := range out {
		if !math.IsInf(us, 1) {
			t.Errorf("%s: %v us", all.list[i].v, us)
		}
	}
	if m, err := CompileAll([]variant.Variant{{}, {Base: variant.Coordinator}}, h200, device.Call{}); m != nil || err == nil {
		t.Errorf("the coordinator compiles: %v", err)
	}
}

// drawLaunch returns the rule, or a launch that fixes some of it.
func drawLaunch(t *rapid.T, d *device.Profile) device.Launch {
	l := d.Limits()
	warps := rapid.IntRange(0, l.MaxThreadsPerBlock/l.WarpLanes).Draw(t, "warps")
	return device.Launch{Blocks: rapid.Uint64Range(0, 9000).Draw(t, "blocks"),
		Threads: warps * l.WarpLanes, Unroll: rapid.SampledFrom([]int{0, 1, 2, 4, 8}).Draw(t, "unroll")}
}

// TestShapes compares the launches of the formulas with those of the device,
// and the largest number of targets with what the device can run.
func TestShapes(t *testing.T) {
	checked := 0
	rapid.Check(t, func(t *rapid.T) {
		d, err := device.Builtin(rapid.SampledFrom(device.Names()).Draw(t, "device"))
		if err != nil {
			t.Fatal(err)
		}
		c := device.Call{Type: rapid.SampledFrom(device.Types()).Draw(t, "type")}
		updates := rapid.Uint64Range(1, 1<<30).Draw(t, "updates")
		fixed := drawLaunch(t, d)
		for _, v := range runnable(d, c) {
			m, err := Compile(v, d, c)
			if err == nil {
				m.b, err = m.b.Launched(fixed)
			}
			if err != nil {
				t.Fatal(err)
			}
			can := func(bins uint64) bool {
				return d.CanRun(v, c.Type, bins) == nil && d.CanLaunch(v, c.Type, bins, fixed) == nil
			}
			most := m.b.list[0].bins
			if most == 0 && !can(1) {
				continue
			}
			if !can(most) || (most < 1<<32 && can(most+1)) {
				t.Fatalf("%s %s on %s: not %d targets at most", v, c.Type, d.Name, most)
			}
			bins := rapid.Uint64Range(1, most).Draw(t, "bins")
			var g launch
			st := stream{
				Stats:   &collision.Stats{Bins: bins, BlockSize: 256},
				updates: float64(updates), positions: float64(updates), bins: float64(bins), turns: 1,
			}
			switch v.Base {
			case variant.Private:
				k := &m.b.list[0].copies
				e := evaluation{st: st}
				m.b.setGrid(m.b.small.most, &m.b.small, &st, &e.roomy)
				grid := m.b.copyGrid(ceil(st.bins/k.ranges)*k.bytes+k.padBytes, &e)
				if g = grid.launch; k.ranges > 1 {
					of := *grid
					m.b.rangeGrid(k, &ranged{stream: st, groups: k.ranges}, &of)
					g = of.launch
				}
			case variant.Hot:
				e := evaluation{st: st}
				m.b.setGrid(m.b.small.most, &m.b.small, &st, &e.roomy)
				g = m.b.copyGrid(m.b.list[0].table.bytes, &e).launch
			case variant.ThreadPrivate:
				g, _, _ = m.b.threadGrid(&st)
			case variant.Global:
				m.b.setLaunch(m.b.small.most, &m.b.small, &st, &g)
			default:
				continue
			}
			s := d.Limits().Shape(v, c.Type, bins, updates, fixed)
			if float64(s.Threads) != g.threads || float64(s.Blocks) != g.blocks ||
				float64(s.BlocksPerSM)*m.b.sms != g.resident {
				t.Fatalf("%s %s on %s, %d targets, %d updates: %+v, the formulas say %+v", v, c.Type, d.Name, bins, updates, s, g)
			}
			checked++
		}
	})
	if checked < cases(500) {
		t.Errorf("checked %d shapes", checked)
	}
}

// TestLaunches holds the closed form to the recorded calls of empty kernels.
func TestLaunches(t *testing.T) {
	r := ratesOf(builtin(t, "h200"), device.Call{})
	end := r.first
	for number := 1.0; number < 5; number++ {
		end = r.after(end, number, 0)
	}
	if want := r.first + 4*r.next; math.Abs(end-want) > 1e-9 {
		t.Errorf("five empty kernels take %v us, want %v", end, want)
	}
	if got, want := r.after(100, 1, 7), 100+r.gap+7; got != want {
		t.Errorf("a kernel after a long one ends at %v us, want %v", got, want)
	}
}

func TestFullestSlice(t *testing.T) {
	m, err := Compile(variant.Variant{}, builtin(t, "h200"), device.Call{})
	if err != nil {
		t.Fatal(err)
	}
	for edge := range 4 {
		last := 1.0
		for n := 1.0; n < 1e12; n *= 1.1 {
			share := m.b.fullestSlice(n, float64(edge))
			if share > last || share < 1/n || share < m.b.sliceShare {
				t.Fatalf("fullestSlice(%v, %v) = %v after %v", n, edge, share, last)
			}
			last = share
		}
		if last > 1.01*m.b.sliceShare {
			t.Errorf("of infinitely many chunks %v lie on one of %v slices", last, 1/m.b.sliceShare)
		}
	}
	// The four chunks of a region lie on two slices, those of two halves on four.
	four, two, halves := m.b.fullestSlice(4, 0), m.b.fullestSlice(2, 0), m.b.fullestSlice(4, 2)
	if four != two || math.Abs(two-0.5) > 0.01 || math.Abs(halves-0.25) > 0.01 {
		t.Errorf("four chunks put %v on one slice, two %v, four in two regions %v", four, two, halves)
	}
	if small, large := m.b.edgeOf(1024), m.b.edgeOf(1<<22); small != 2 || large != 0 {
		t.Errorf("%v and %v chunks to the end of the region", small, large)
	}
}

// cases is how many cases of properties there are at least: -short draws a fifth.
func cases(n int) int {
	if testing.Short() {
		return n / 5
	}
	return n
}
