package egielski14

import (
	"context"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/hwsim/apps"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/simtimes"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/papers/paperstest"
)

// storedTimes are those of testdata/times.csv: all runs at scale 1.
func storedTimes(t *testing.T) map[string]float64 {
	t.Helper()
	return paperstest.Stored(t, "testdata/times.csv")
}

func complete(t *testing.T, o papers.Options) papers.Options {
	t.Helper()
	o, err := o.Complete()
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// quick reports whether a run at scale 1 takes a part of a second.
func quick(run string) bool { return strings.Contains(run, "SpMV SR | scircuit ") }

// TestTimes: the times at scale 1 are what the simulator says: of some quick runs, or with
// ATOMTUNE_FULL=1 of one in forty.
func TestTimes(t *testing.T) {
	golden.OnlyFull(t)
	o, c := complete(t, papers.Options{Memo: papers.NewMemo(nil)}), newSimulations()
	stored, checked, place := storedTimes(t), 0, 0
	for _, j := range on(benchmarks()...) {
		for _, in := range j.inputs(o) {
			for _, form := range j.forms {
				run := j.run(o, form, in)
				place++
				if !quick(run) && place%40 != 0 {
					continue
				}
				if us, err := c.us(o, j, form, in); err != nil || us != stored[run] {
					t.Errorf("%s: %v us, stored %v, %v", run, us, stored[run], err)
				}
				checked++
			}
		}
	}
	if checked < 2 {
		t.Errorf("%d runs", checked)
	}
}

// TestFreeGather bounds what a texture cache, which is not simulated, can change on Kepler: with the
// vector there at once SR+SS improves scircuit over the original as the paper has it, and naive
// atomics slow consph down, the second matrix of Figure 2. Without a cache neither is so.
func TestFreeGather(t *testing.T) {
	golden.OnlyFull(t)
	o, c := complete(t, papers.Options{Memo: papers.NewMemo(nil)}), newSimulations()
	c.simulate = func(cfg apps.AppConfig, in apps.AppInput) (apps.AppResult, error) {
		cfg.FreeGather = true
		return apps.RunApplication(cfg, in)
	}
	stored, j := storedTimes(t), job{matrixProduct(), kepler}
	checked := 0
	for _, in := range j.inputs(o) {
		form, meets, want := formSRSS, func(speedup float64) bool {
			return papers.Average.Met(speedup, 1+statedGain/100)
		}, in.name == "scircuit"
		if in.name == "consph" {
			form, meets, want = formAA, slower, true
		}
		if !want {
			continue
		}
		var free [2]float64
		for i, f := range []appForm{formOriginal, form} {
			var err error
			if free[i], err = c.us(o, j, f, in); err != nil {
				t.Fatal(err)
			}
		}
		asIs := stored[j.run(o, formOriginal, in)] / stored[j.run(o, form, in)]
		if meets(asIs) || !meets(free[0]/free[1]) {
			t.Errorf("%s of %s: %v times as fast as the original, %v with the vector there at once",
				form.name, in.name, asIs, free[0]/free[1])
		}
		checked++
	}
	if checked != 2 {
		t.Errorf("%d matrices", checked)
	}
}

// smallScale is that of testdata/small.csv.
const smallScale = 1.0 / 64

// TestSmallTimes: one run of each form of each application on each device, at a small scale, takes
// as long as stored. A change of the simulator shows here before the times of scale 1 are made
// anew.
func TestSmallTimes(t *testing.T) {
	golden.OnlyFull(t)
	times := simtimes.Read(t, "testdata/small.csv")
	held := times.Held(func(run string) string {
		group, _, _ := strings.Cut(run, "|")
		return group
	})
	o := complete(t, papers.Options{Scale: smallScale, Memo: papers.NewMemo(held)})
	o, ended := paperstest.WithProgress(t, "all benchmarks", o)
	_, err := newSimulations().measure(context.Background(), o, on(benchmarks()...)...)
	if err != nil {
		t.Fatal(err)
	}
	ended()
	times.Compare(t, o.Memo.Times())
}
