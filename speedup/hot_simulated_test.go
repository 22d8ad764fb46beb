package speedup_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/internal/simtimes"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/variant"
)

// tableStreams are those on which the prices of hot targets and of ranges are held against the
// simulator.
var tableStreams = []string{
	"zipf:n=1048576,k=1048576,s=0.6,shuffle=1,seed=1",
	"zipf:n=1048576,k=1048576,s=0.8,shuffle=1,seed=2",
	"zipf:n=1048576,k=1048576,s=1,shuffle=1,seed=3",
	"zipf:n=4194304,k=1048576,s=1,shuffle=1,seed=4",
	"zipf:n=1048576,k=1048576,s=1.2,shuffle=1,seed=5",
	"zipf:n=1048576,k=100000,s=1.5,seed=6",
	"zipf:n=1048576,k=65536,s=1,seed=7",
	"zipf:n=1048576,k=4096,s=1,shuffle=1,seed=8",
	"zipf:n=1048576,k=1048576,s=2,shuffle=1,seed=9",
	"hotspot:n=1048576,k=1700000,h=1,p=0.5,shuffle=1,seed=10",
	"hotspot:n=1048576,k=262144,h=4,p=0.9,seed=11",
	"hotspot:n=1048576,k=1048576,h=64,p=0.7,shuffle=1,seed=12",
	"hotspot:n=2097152,k=1048576,h=1000,p=0.8,shuffle=1,seed=13",
	"runs:n=1048576,k=100000,len=8,seed=14",
	"runs:n=1048576,k=1000000,len=32,seed=15",
	"uniform:n=1048576,k=100000,seed=16",
	"uniform:n=2097152,k=4194304,seed=17",
	"uniform:n=1048576,k=1000,seed=18",
	"image:n=1048576,k=65536,seed=19",
	"image:n=1048576,k=4096,noise=0.3,scale=64,seed=20",
	"markov:n=1048576,k=262144,seed=21",
	"sorted:n=1048576,k=100000,seed=22",
	"window:n=1048576,k=1048576,w=256,hold=64,seed=23",
	"constant:n=1048576,k=100000",
}

// freshStreams were drawn after the formulas were final.
var freshStreams = []string{
	"zipf:n=1048576,k=500000,s=0.9,shuffle=1,seed=101",
	"zipf:n=2097152,k=2000000,s=1.1,shuffle=1,seed=102",
	"zipf:n=1048576,k=30000,s=0.7,shuffle=1,seed=103",
	"hotspot:n=1048576,k=800000,h=16,p=0.4,shuffle=1,seed=104",
	"hotspot:n=1048576,k=90000,h=300,p=0.95,shuffle=1,seed=105",
	"runs:n=1048576,k=50000,len=4,seed=106",
	"uniform:n=1048576,k=20000,seed=107",
	"image:n=1048576,k=20000,scale=32,noise=0.1,seed=108",
	"markov:n=1048576,k=70000,w=500,stay=0.3,seed=109",
	"cells:n=1048576,k=120000,seed=110",
}

// tableForms are the implementations that are held against it.
var tableForms = []string{
	"hot:s=64,r=32", "hot:s=1024,r=4", "hot:s=8192,r=4", "hot:s=512", "hot:s=4096,r=2+match",
	"hot:s=256,r=8+sr", "hot:s=64,r=16,sample=2048", "hot:s=2048,r=4,sample=16384",
	"private:r=1,ranges=2", "private:r=1,pad=1,ranges=4", "private:r=2,ranges=8+match",
}

// TestTablesAgainstSimulator holds the prices of hot targets and of ranges against simulated
// times of long streams. What is beyond the limits of the most is what their parts, plain
// atomics and private copies, have as well: updates that move on with a window, where slices are
// busy in turn, and copies for which the warps of a block compete, which the simulator makes up
// to twice as slow as the closed form, which follows recorded calls.
func TestTablesAgainstSimulator(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates long streams")
	}
	d, err := device.Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	own := *d
	own.Launch.LaterStart.Value = 0 // the simulator's kernels begin as soon as an empty one
	times := simtimes.Read(t, "testdata/tables.csv")
	us := times.Held(func(name string) string { // hot targets, and ranges
		return name[strings.LastIndex(name, " ")+1:][:3]
	})
	offs := map[string][]float64{}
	for i, spec := range slices.Concat(tableStreams, freshStreams) {
		indices, s := analyzed(t, spec, d)
		call := device.Call{Type: []device.Type{device.F32, device.U32, device.F64}[i%3],
			Operand: device.Operand(i / 3 % 2)}
		for _, name := range tableForms {
			v, err := variant.Parse(name)
			if err != nil {
				t.Fatal(err)
			}
			if d.CanCall(v, call, s.Bins) != nil {
				continue
			}
			key := spec + " " + call.Type.String() + " " + call.Operand.String() + " " + name
			if _, ok := us[key]; !ok {
				us[key], err = hwsim.Estimate(hwsim.Config{Device: d, Call: call, Variant: v}, indices, s.Bins)
				if err != nil {
					t.Fatal(key, err)
				}
			}
			cost, err := speedup.Predict(v, &s, &own, call)
			if err != nil {
				t.Fatal(key, err)
			}
			off := math.Log(cost.US / us[key])
			form, _, _ := strings.Cut(name, ":")
			if i >= len(tableStreams) {
				form += ", fresh"
			}
			offs[form] = append(offs[form], math.Abs(off))
			t.Logf("%+.2f closed %7.2f us, simulated %7.2f us: %s %s", off, cost.US, us[key], key,
				cost.Binding)
		}
	}
	times.Compare(t, us)
	for _, l := range []struct {
		form              string
		calls             int
		median, p90, most float64 // factors either way
	}{{"hot", 184, 1.15, 1.5, 2.8}, {"private", 28, 1.18, 1.45, 2},
		{"hot, fresh", 77, 1.12, 1.35, 1.6}, {"private, fresh", 19, 1.15, 1.25, 1.4}} {
		list := offs[l.form]
		slices.Sort(list)
		at := func(q float64) float64 { return math.Exp(list[int(q*float64(len(list)-1))]) }
		t.Logf("%s: %d calls, a factor of %.3f in the median, %.3f at the 90th percentile, %.3f at most",
			l.form, len(list), at(0.5), at(0.9), at(1))
		if len(list) != l.calls || at(0.5) > l.median || at(0.9) > l.p90 || at(1) > l.most {
			t.Errorf("%s: %d calls, factors %.3f, %.3f and %.3f; want %d and %v, %v and %v", l.form,
				len(list), at(0.5), at(0.9), at(1), l.calls, l.median, l.p90, l.most)
		}
	}
}
