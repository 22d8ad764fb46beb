package bench

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	rules "github.com/atomtune/atomtune/lab/validate/recorded"
)

// later are made-up times of a run with the ladder on two of the streams of made.
var later = []string{
	"recorded uniform:a 8388608 4096 f32 loaded;u32 atomtune -=22 naive 132x1024x4;" +
		"u32 ladder -=40 private:r=4,pad=1 132x1024x4",
	"recorded zipf:b 1048576 4096 f32 loaded;u32 atomtune -=10;" +
		"u32 ladder -=5 private:r=4,pad=1 132x1024x4",
}

// TestJoin: what a table lacks comes from a later run, its own times stay, and the reports name the
// run.
func TestJoin(t *testing.T) {
	run := mustDecode(t, made...)
	if err := run.Join(mustDecode(t, later...)); err != nil {
		t.Fatal(err)
	}
	if v, _ := run.Cases[0].time(Place{"u32", call, ""}); v.US != 20 {
		t.Errorf("the call now takes %v us", v.US)
	}
	r, err := NewReport(run)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(r.Comparisons, func(c Comparison) bool { return c.Rival == "a careful ladder" })
	if at < 0 || math.Abs(r.Comparisons[at].GeometricMean-1) > 1e-9 || r.Comparisons[at].Least != 0.5 {
		t.Errorf("comparison %d of %+v", at, r.Comparisons)
	}
	if len(r.Further) != 1 || !slices.Equal(r.Further[0].Implementations, []string{"ladder"}) ||
		math.Abs(r.Further[0].CallTimes-math.Sqrt(1.1)) > 1e-9 {
		t.Errorf("further %+v", r.Further)
	}
}

// TestJoinFaults: what does not belong to a table is refused.
func TestJoinFaults(t *testing.T) {
	for says, change := range map[string]func(*Run){
		"NVIDIA T4":  func(r *Run) { r.GPU = "NVIDIA T4" },
		"":           func(r *Run) { *r = *mustDecode(t, made...) }, // which has no new implementation
		"uniform:c,": func(r *Run) { r.Cases[0].Label = "uniform:c" },
		"uniform:a,": func(r *Run) { r.Cases[0].Bins++ },
	} {
		run, more := mustDecode(t, made...), mustDecode(t, later...)
		change(more)
		if err := run.Join(more); !errors.Is(err, ErrRun) || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %q", err, says)
		}
		if len(run.Further) > 0 || run.implementations()[ladder] {
			t.Errorf("%s: times were joined", says)
		}
	}
}

// TestLadder: the ladder of the bench takes the implementation that lab/validate/recorded has.
func TestLadder(t *testing.T) {
	made := mustDecode(t, later...)
	checked := 0
	runs, err := Recorded("recorded")
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range append(runs, made) {
		p, err := profileOf(run.GPU)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range run.Cases {
			v, there := c.Times[Place{"u32", ladder, ""}]
			if !there {
				continue
			}
			want := rules.Rivals()[0].Pick(rules.Asked{Stats: &collision.Stats{Bins: c.Bins}, Device: p,
				Call: device.Call{Type: c.Type, Operand: c.Operand}})
			if form, _, _ := strings.Cut(v.Chosen, " "); form != want.String() {
				t.Errorf("%s, %s: the ladder takes %q, the rule %s", c.Label, c.Kind, v.Chosen, want)
			}
			checked++
		}
	}
	if checked < 2 {
		t.Errorf("%d forms were checked", checked)
	}
}
