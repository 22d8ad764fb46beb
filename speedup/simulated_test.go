package speedup_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/simtimes"
	"github.com/atomtune/atomtune/speedup"
)

// analyzed is speedup.Analyzed in a device's warps.
func analyzed(t *testing.T, spec string, d *device.Profile) ([]uint32, collision.Stats) {
	t.Helper()
	return speedup.Analyzed(t, spec, int(d.Core.WarpLanes.Value))
}

func parse(t *testing.T, name string) impl.Spec {
	t.Helper()
	v, err := impl.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// asSimulated is a device as the simulator has it: kernels begin as soon as an empty one, and old values
// take no room on their way.
func asSimulated(t *testing.T, name string) *device.Profile {
	t.Helper()
	d, err := device.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	own := *d
	own.Launch.LaterStart.Value, own.Global.Answers = 0, nil
	return &own
}

// predicted is the price of a call in closed form.
func predicted(t *testing.T, v impl.Spec, s *collision.Stats, d *device.Profile, c device.Call) float64 {
	t.Helper()
	cost, err := speedup.Predict(v, s, d, c)
	if err != nil {
		t.Fatal(v, c, err)
	}
	return cost.US
}

// estimated is its simulated time.
func estimated(t *testing.T, c hwsim.Config, indices []uint32, bins uint64) float64 {
	t.Helper()
	us, err := hwsim.Estimate(c, indices, bins)
	if err != nil {
		t.Fatal(c.Implementation, c.Call, err)
	}
	return us
}

// factors are limits of how far closed forms lie from simulated times, either way.
type factors struct {
	implementation    string
	calls             int
	median, p90, most float64
}

// hold checks the magnitudes of the logarithms of predicted over simulated times.
func (l factors) hold(t *testing.T, offs []float64) {
	t.Helper()
	slices.Sort(offs)
	at := func(q float64) float64 { return math.Exp(offs[int(q*float64(len(offs)-1))]) }
	t.Logf("%s: %d calls, factors %.3f in the median, %.3f at p90, %.3f at most", l.implementation, len(offs), at(0.5), at(0.9),
		at(1))
	if len(offs) != l.calls || at(0.5) > l.median || at(0.9) > l.p90 || at(1) > l.most {
		t.Errorf("%d calls, factors %.3f, %.3f and %.3f; want %+v", len(offs), at(0.5), at(0.9), at(1), l)
	}
}

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

var partedStreams = []string{
	"uniform:n=1048576,k=1048576,seed=1", "uniform:n=2097152,k=16777216,seed=2",
	"uniform:n=1048576,k=8388608,seed=3", "zipf:n=1048576,k=1048576,s=0.8,shuffle=1,seed=4",
	"zipf:n=1048576,k=4194304,s=1,shuffle=1,seed=5", "runs:n=1048576,k=2097152,len=8,seed=6",
	"sorted:n=1048576,k=4194304,seed=7", "hotspot:n=1048576,k=4194304,h=16,p=0.3,shuffle=1,seed=8",
}

// simulations are the prices that are held against simulated times of long streams, which a file keeps:
//
//   - Tables of hot targets, and ranges. What is beyond the limits of the most is what their parts, plain
//     atomics and private copies, have as well: updates that move on with a window, where slices are busy
//     in turn, and copies for which the warps of a block compete, which the simulator makes up to twice
//     as slow as the closed form, which follows recorded calls.
//   - Old values from tables and copies, and what they cost: the ratio of the calls with and without. What
//     tables read of scattered targets is bound by an SM's requests on a GPU, which the simulator does not
//     count for loads.
//   - Partitions. The simulator's stores of parts of sectors take bandwidth and no time of a slice, so
//     that it splits into short pieces in less time than the closed form.
var simulations = []struct {
	file            string
	streams         []string
	fresh           int // so many of the last were drawn once the formulas had been held against the others
	types           [3]device.Type
	old             bool
	implementations []string
	limits          []factors
}{
	{"tables.csv", slices.Concat(tableStreams, freshStreams), len(freshStreams),
		[3]device.Type{device.F32, device.U32, device.F64}, false,
		[]string{"hot:s=64,r=32", "hot:s=1024,r=4", "hot:s=8192,r=4", "hot:s=512", "hot:s=4096,r=2+match",
			"hot:s=256,r=8+sr", "hot:s=64,r=16,sample=2048", "hot:s=2048,r=4,sample=16384",
			"private:r=1,ranges=2", "private:r=1,pad=1,ranges=4", "private:r=2,ranges=8+match"},
		[]factors{{"hot", 184, 1.15, 1.5, 2.8}, {"private", 28, 1.18, 1.45, 2},
			{"hot, fresh", 77, 1.12, 1.35, 1.6}, {"private, fresh", 19, 1.15, 1.25, 1.4}}},
	{"fetch.csv", fetchStreams, 8, [3]device.Type{device.U32, device.F32, device.U64}, true,
		[]string{"private", "private:r=8,pad=1", "private:r=32,pad=1",
			"hot:s=64,r=32", "hot:s=1024,r=8", "hot:s=8192,r=2", "hot:s=1024,r=8,sample=16384"},
		[]factors{{"hot", 46, 1.22, 1.75, 2.1}, {"private", 23, 1.13, 1.3, 1.95},
			{"hot, ratio", 46, 1.06, 1.25, 1.35}, {"private, ratio", 23, 1.04, 1.1, 1.15},
			{"hot, fresh", 25, 1.12, 1.6, 1.7}, {"private, fresh", 11, 1.1, 1.45, 1.5},
			{"hot, fresh, ratio", 25, 1.05, 1.2, 1.3}, {"private, fresh, ratio", 11, 1.06, 1.15, 1.2}}},
	{"parted.csv", partedStreams, 0, [3]device.Type{device.F32, device.U32, device.F64}, false,
		[]string{"partition:w=16384", "partition:w=2048,r=2"},
		[]factors{{"partition", 16, 1.2, 1.6, 1.6}}},
}

func TestAgainstSimulator(t *testing.T) {
	golden.OnlyFull(t)
	d, closed := asSimulated(t, "h200"), asSimulated(t, "h200")
	for _, set := range simulations {
		t.Run(set.file, func(t *testing.T) {
			times := simtimes.Read(t, "testdata/"+set.file)
			us := times.Held(func(name string) string { // hot targets, and copies
				return name[strings.LastIndex(name, " ")+1:][:3]
			})
			offs := map[string][]float64{}
			for i, spec := range set.streams {
				indices, s := analyzed(t, spec, d)
				call := device.Call{Type: set.types[i%3], Operand: device.Operand(i / 3 % 2)}
				off := func(v impl.Spec, kind string) float64 {
					key := spec + " " + call.Type.String() + " " + call.Operand.String() + kind + " " + v.String()
					if _, ok := us[key]; !ok {
						us[key] = estimated(t, hwsim.Config{Device: d, Call: call, Implementation: v}, indices, s.Bins)
					}
					return math.Log(predicted(t, v, &s, closed, call) / us[key])
				}
				for _, name := range set.implementations {
					v := parse(t, name)
					if d.CanCall(v, call, s.Bins) != nil || set.old && uint64(v.Slots) > s.Bins {
						continue
					}
					implementation, _, _ := strings.Cut(name, ":")
					if i >= len(set.streams)-set.fresh {
						implementation += ", fresh"
					}
					if !set.old {
						offs[implementation] = append(offs[implementation], math.Abs(off(v, "")))
						continue
					}
					sums := off(v, " sums")
					call.Returns = true
					old := off(v, " old")
					call.Returns = false
					offs[implementation] = append(offs[implementation], math.Abs(old))
					offs[implementation+", ratio"] = append(offs[implementation+", ratio"], math.Abs(old-sums))
				}
			}
			times.Compare(t, us)
			for _, l := range set.limits {
				l.hold(t, offs[l.implementation])
			}
		})
	}
}

// TestContentionAgainstSimulator holds the prices of copies in which the warps of a block meet against the
// simulator, which lets them try turn by turn.
func TestContentionAgainstSimulator(t *testing.T) {
	golden.OnlyFull(t)
	d := asSimulated(t, "h200")
	var offs []float64
	sum := 0.0
	for _, typ := range []device.Type{device.F32, device.F64} {
		for _, spec := range []string{"uniform:n=400000,k=1,seed=1", "uniform:n=400000,k=8,seed=2",
			"uniform:n=400000,k=40,seed=3", "sequential:n=400000,k=462,seed=4", "sequential:n=400000,k=8,seed=5"} {
			indices, s := analyzed(t, spec, d)
			for _, name := range []string{"private", "private:r=4,pad=1", "private:r=16,pad=1"} {
				v, call := parse(t, name), device.Call{Type: typ}
				us := estimated(t, hwsim.Config{Device: d, Call: call, Implementation: v, Coarse: true}, indices, s.Bins)
				off := math.Log(predicted(t, v, &s, d, call) / us)
				sum, offs = sum+off, append(offs, math.Abs(off))
			}
		}
	}
	factors{"copies", 30, 1.4, 1.4, 1.4}.hold(t, offs)
	if mean := math.Exp(sum / 30); mean < 0.93 || mean > 1.07 {
		t.Errorf("closed forms over simulated times %.3f in the mean", mean)
	}
}

// TestBlocksShareLocks: on a device with 1,024 lock bits for a multiprocessor, blocks whose copies
// take 1,024 words have one lock for a hot target, those whose copies take a word more one each.
func TestBlocksShareLocks(t *testing.T) {
	d := asSimulated(t, "gtx680")
	us := func(spec string) float64 {
		_, s := analyzed(t, spec, d)
		return predicted(t, impl.Spec{Algorithm: impl.Private}, &s, d, device.Call{Type: device.U32})
	}
	same, apart := us("constant:n=1048576,k=1024"), us("constant:n=1048576,k=1025")
	few := us("constant:n=1048576,k=64")
	// Eight blocks of 256 threads: a lock is held for 50 cycles by each add, and kept for 100 in
	// turns by the warps of one block alone.
	if r := same / apart; r < 3.5 || r > 4.1 {
		t.Errorf("copies of 1,024 words take %.3g times as long as those of 1,025", r)
	}
	if r := apart / few; r < 0.99 || r > 1.01 {
		t.Errorf("copies of 1,025 words take %.3g times as long as those of 64", r)
	}
}

// TestOperationsAgainstSimulator holds prices of operations that need loops, or that are like additions,
// against the simulator, next to those of additions on the same streams, of 8,192 updates with
// ATOMTUNE_FULL=1.
func TestOperationsAgainstSimulator(t *testing.T) {
	for _, c := range []struct {
		device       string
		call         device.Call
		median, most float64 // factors on either side
		updates      int
	}{
		{"h200", device.Call{Type: device.F32}, 1.1, 2.1, 4096},
		{"h200", device.Call{Type: device.F32, Op: device.Mul}, 1.15, 2.1, 4096},
		{"h200", device.Call{Type: device.F64, Op: device.Min}, 1.3, 1.75, 8192},
		{"h200", device.Call{Op: device.Max}, 1.15, 2.1, 4096},
		{"h200", device.Call{Type: device.F32, Op: device.Mad}, 1.1, 1.25, 8192},
		{"h200", device.Call{Type: device.F32, Keeps: true}, 1.15, 2.1, 4096},
		{"h200", device.Call{Type: device.F32, Returns: true}, 1.15, 1.6, 4096},
		{"h200", device.Call{Type: device.U64, Operand: device.One, Returns: true}, 1.1, 1.6, 4096},
		{"c2075", device.Call{Type: device.U32, Returns: true}, 1.1, 1.7, 4096},
		{"c2075", device.Call{Type: device.F64}, 1.4, 2.6, 4096},
		{"c2075", device.Call{Type: device.F32, Op: device.Div}, 1.45, 3, 4096},
		{"hd5870", device.Call{Type: device.F32, Op: device.Mul}, 1.55, 2.4, 4096},
	} {
		d, err := device.Builtin(c.device)
		if err != nil {
			t.Fatal(err)
		}
		own := *d
		own.Launch.LaterStart.Value = 0
		d = &own
		if golden.Full() {
			c.updates = 8192
		}
		var off []float64
		for _, spec := range []string{"uniform:n=%d,k=16,seed=1", "uniform:n=%d,k=4096,seed=2",
			"zipf:n=%d,k=1024,seed=3,s=1.2"} {
			indices, s := analyzed(t, fmt.Sprintf(spec, c.updates), d)
			for _, name := range []string{"naive", "sr", "vr", "peers", "match", "private", "private:r=8,pad=1", "sort",
				"threadprivate"} {
				v := parse(t, name)
				if d.CanCall(v, c.call, s.Bins) != nil {
					continue
				}
				us := estimated(t, hwsim.Config{Device: d, Call: c.call, Implementation: v}, indices, s.Bins)
				off = append(off, math.Abs(math.Log(predicted(t, v, &s, d, c.call)/us)))
			}
		}
		if len(off) < 3 {
			t.Fatalf("%s %v: %d calls", c.device, c.call, len(off))
		}
		factors{c.device + " " + c.call.Words(), len(off), c.median, c.most, c.most}.hold(t, off)
	}
}
