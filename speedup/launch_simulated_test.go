package speedup_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/quantile"
	"github.com/atomtune/atomtune/internal/simtimes"
	"github.com/atomtune/atomtune/speedup"
)

// launchStreams are the streams on which launches are compared, spread evenly and skewed, over few
// targets and many, with runs and without.
var launchStreams = []string{
	"uniform:n=%d,k=64,seed=1", "uniform:n=%d,k=1024,seed=2", "uniform:n=%d,k=20000,seed=3",
	"uniform:n=%d,k=1048576,seed=4", "constant:n=%d,k=256", "hotspot:n=%d,k=4096,h=1,p=0.5,seed=5",
	"zipf:n=%d,k=100000,s=1,seed=6", "zipf:n=%d,k=512,s=1.3,seed=7", "runs:n=%d,k=8192,len=12,seed=8",
	"sequential:n=%d,k=1000", "markov:n=%d,k=2048,seed=9", "sorted:n=%d,k=16384,seed=10",
}

// launchesOf lists launches of so many blocks for each SM, some more than an SM holds, and the same
// with turns united.
func launchesOf(d *device.Profile) (list []device.Launch) {
	l := d.Limits()
	for _, threads := range []int{256, 512, 1024} {
		for _, perSM := range []int{1, 2, 4, 8} {
			for _, unroll := range []int{1, 4} {
				list = append(list, device.Launch{Blocks: uint64(perSM * l.SMs), Threads: threads,
					Unroll: unroll})
			}
		}
	}
	return list
}

// launchCase is one implementation on one stream under the rule, which comes first, and some
// launches.
type launchCase struct {
	direct     bool      // it adds to the targets, and not to copies
	closed, us []float64 // of each launch
}

// launchErrors are the factors by which ratios of times differ, and what choices among launches
// lose.
type launchErrors struct {
	off        []float64 // of a launch's time to that of the rule's, predicted over simulated
	loss, rule []float64 // of the closed forms' launch, and of the rule's, over the best
}

func (e *launchErrors) add(c launchCase) {
	for k := range c.us[1:] {
		ratio := c.closed[k+1] / c.closed[0] / (c.us[k+1] / c.us[0])
		e.off = append(e.off, math.Exp(math.Abs(math.Log(ratio))))
	}
	least, first := slices.Min(c.us), slices.Index(c.closed, slices.Min(c.closed))
	e.loss, e.rule = append(e.loss, c.us[first]/least), append(e.rule, c.us[0]/least)
}

func geometricMean(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(list)))
}

// TestLaunchesAgainstSimulator holds the prices of launches against the simulator: by how much the
// ratio of a launch's time to that of the rule's launch differs, and what is lost where closed
// forms choose among the rule and launches.
//
// Forms that add to the targets differ little, but for the f64 loops of the C2075 on runs of equal
// targets: the closed form has half the simulator's time for the rule's launch, and nearly all of it
// for small grids. Copies differ where their adds meet, in two ways that the rule's launch has as
// well. Where few warps share a word, the simulator's warps stay in step, and one of them adds in
// each iteration, in place of ContendedAdds. Where f64 copies take loops, as on the C2075, its warps
// hinder each other the more there are in a block, and the closed form of the lock knows no warps:
// so the largest loss, where blocks of 256 threads take less than half the time.
func TestLaunchesAgainstSimulator(t *testing.T) {
	times := simtimes.Read(t, "testdata/launches.csv")
	us := times.Held(func(name string) string { // device and type
		return strings.Join(strings.Fields(name)[:2], " ")
	})
	for _, of := range []struct {
		device       string
		updates      int
		direct       bool
		ratios       int
		median, p90  float64
		chosen, most float64 // in the geometric mean, and at most
	}{
		{"h200", 1 << 19, true, 116, 1.01, 1.06, 1.04, 1.14},
		{"h200", 1 << 19, false, 124, 1.07, 1.43, 1.02, 1.08},
		{"c2075", 1 << 17, true, 58, 1.01, 1.32, 1.02, 1.04},
		{"c2075", 1 << 17, false, 90, 1.13, 1.55, 1.14, 2.7},
	} {
		d, err := device.Builtin(of.device)
		if err != nil {
			t.Fatal(err)
		}
		var e launchErrors
		for i, format := range launchStreams {
			for _, c := range launchCases(t, d, fmt.Sprintf(format, of.updates), i, us) {
				if c.direct == of.direct {
					e.add(c)
				}
			}
		}
		median, p90 := quantile.Of(e.off, 0.5), quantile.Of(e.off, 0.9)
		chosen, most := geometricMean(e.loss), slices.Max(e.loss)
		t.Logf("%+v: %d ratios off by %.3f in the median, %.3f at p90; of %d choices, the closed forms' lose %.3f and "+
			"at most %.3f, the rule's %.3f", of, len(e.off), median, p90, len(e.loss), chosen, most, geometricMean(e.rule))
		if len(e.off) != of.ratios || median > of.median || p90 > of.p90 || chosen > of.chosen ||
			most > of.most || chosen > geometricMean(e.rule) {
			t.Errorf("%s, adds to the targets %t: more than %+v", of.device, of.direct, of)
		}
	}
	times.Compare(t, us)
}

// launchCases are the implementations on a stream, each under the rule and every fifth launch.
func launchCases(t *testing.T, d *device.Profile, spec string, number int, us map[string]float64) (list []launchCase) {
	t.Helper()
	indices, s := analyzed(t, spec, d)
	call := device.Call{Type: []device.Type{device.U32, device.F32, device.F64}[number%3]}
	all := launchesOf(d)
	for i, name := range []string{"naive", "match", "private", "private:r=8,pad=1", "private+sr"} {
		v := parse(t, name)
		if d.CanCall(v, call, s.Bins) != nil {
			continue
		}
		b, err := speedup.CompileAll([]impl.Spec{v}, d, call)
		if err != nil {
			t.Fatal(err)
		}
		c := launchCase{direct: v.AddsAtTargets()}
		add := func(l device.Launch) {
			under, err := b.Launched(l)
			if err != nil {
				t.Fatal(err)
			}
			cost, err := under.Explain(&s, 0)
			if err != nil {
				t.Fatal(err)
			}
			key := fmt.Sprintf("%s %s %s %s %s", d.Name, call.Type, spec, v, l)
			if _, ok := us[key]; !ok {
				r, err := hwsim.Run(hwsim.Config{Device: d, Call: call, Implementation: v, Launch: l}, indices, s.Bins)
				if err != nil || !r.Correct {
					t.Fatalf("%s: correct %v, %v", key, r.Correct, err)
				}
				us[key] = r.US
			}
			c.closed, c.us = append(c.closed, cost.US), append(c.us, us[key])
		}
		add(device.Launch{})
		for k := (number + i) % 5; k < len(all); k += 5 {
			add(all[k])
		}
		list = append(list, c)
	}
	return list
}
