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

// fetchStreams are those on which the prices of old values from copies are held against the
// simulator. The last eight were drawn once these formulas had been held against the others.
var fetchStreams = []string{
	"uniform:n=1048576,k=64,seed=201",
	"uniform:n=1048576,k=1000,seed=202",
	"uniform:n=1048576,k=20000,seed=203",
	"zipf:n=1048576,k=4096,s=1,shuffle=1,seed=204",
	"zipf:n=1048576,k=20000,s=0.8,shuffle=1,seed=205",
	"zipf:n=4194304,k=256,s=1.2,shuffle=1,seed=206",
	"zipf:n=1048576,k=1048576,s=1,shuffle=1,seed=207",
	"zipf:n=1048576,k=1048576,s=1.5,shuffle=1,seed=208",
	"hotspot:n=1048576,k=1700000,h=1,p=0.5,shuffle=1,seed=209",
	"hotspot:n=1048576,k=262144,h=4,p=0.9,seed=210",
	"hotspot:n=1048576,k=1000000,h=1000,p=0.8,shuffle=1,seed=211",
	"runs:n=1048576,k=4096,len=8,seed=212",
	"runs:n=262144,k=1000,len=32,seed=213",
	"image:n=1048576,k=4096,noise=0.3,scale=64,seed=214",
	"sorted:n=1048576,k=20000,seed=215",
	"constant:n=1048576,k=256",
	"zipf:n=1048576,k=6000,s=1.1,shuffle=1,seed=401",
	"zipf:n=2097152,k=300000,s=0.9,shuffle=1,seed=402",
	"uniform:n=1048576,k=150,seed=403",
	"uniform:n=524288,k=14000,seed=404",
	"hotspot:n=1048576,k=600000,h=200,p=0.7,shuffle=1,seed=405",
	"markov:n=1048576,k=12000,seed=406",
	"cells:n=1048576,k=27000,seed=407",
	"runs:n=1048576,k=700,len=12,seed=408",
}

// fetchForms are the implementations that are held against it.
var fetchForms = []string{
	"private", "private:r=8,pad=1", "private:r=32,pad=1",
	"hot:s=64,r=32", "hot:s=1024,r=8", "hot:s=8192,r=2", "hot:s=1024,r=8,sample=16384",
}

// TestFetchAgainstSimulator holds the prices of old values from private copies and from hot targets
// against simulated times of long streams, and what old values cost against what they cost there:
// the ratio of the calls with and without. Where a table takes a sample, or copies are contended,
// the price without old values is off as TestTablesAgainstSimulator says. What tables read of
// scattered targets is bound by an SM's requests on a GPU, which the simulator does not count for
// loads.
func TestFetchAgainstSimulator(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates long streams")
	}
	d, err := device.Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	own := *d
	own.Launch.LaterStart.Value = 0 // the simulator's kernels begin as soon as an empty one
	own.Global.Answers = nil        // old values take no room there
	times := simtimes.Read(t, "testdata/fetch.csv")
	us := times.Held(func(name string) string { // hot targets, and copies
		return name[strings.LastIndex(name, " ")+1:][:3]
	})
	offs := map[string][]float64{}
	for i, spec := range fetchStreams {
		indices, s := analyzed(t, spec, d)
		call := device.Call{Type: []device.Type{device.U32, device.F32, device.U64}[i%3],
			Operand: device.Operand(i / 3 % 2)}
		for _, name := range fetchForms {
			v, err := variant.Parse(name)
			if err != nil {
				t.Fatal(err)
			}
			if d.CanCall(v, call, s.Bins) != nil || uint64(v.Slots) > s.Bins {
				continue
			}
			off := [2]float64{} // without and with old values
			for j, kind := range []string{"sums", "old"} {
				call.Returns = kind == "old"
				key := spec + " " + call.Type.String() + " " + call.Operand.String() + " " + kind + " " + name
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
				off[j] = math.Log(cost.US / us[key])
				t.Logf("%+.2f closed %7.2f us, simulated %7.2f us: %s %s", off[j], cost.US, us[key], key,
					cost.Binding)
			}
			form, _, _ := strings.Cut(name, ":")
			if i >= len(fetchStreams)-8 {
				form += ", fresh"
			}
			offs[form] = append(offs[form], math.Abs(off[1]))
			offs[form+", ratio"] = append(offs[form+", ratio"], math.Abs(off[1]-off[0]))
		}
	}
	times.Compare(t, us)
	for _, l := range []struct {
		form              string
		calls             int
		median, p90, most float64 // factors either way
	}{
		{"hot", 46, 1.22, 1.75, 2.1}, {"private", 23, 1.13, 1.3, 1.95},
		{"hot, ratio", 46, 1.06, 1.25, 1.35}, {"private, ratio", 23, 1.04, 1.1, 1.15},
		{"hot, fresh", 25, 1.12, 1.6, 1.7}, {"private, fresh", 11, 1.1, 1.45, 1.5},
		{"hot, fresh, ratio", 25, 1.05, 1.2, 1.3}, {"private, fresh, ratio", 11, 1.06, 1.15, 1.2},
	} {
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
