package tuner_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// TestOperationsAgree compares the fast form with the plain one for every
// operation and type.
func TestOperationsAgree(t *testing.T) {
	compared := 0
	for i, name := range []string{"h200", "c2075", "hd5870"} {
		d := tunertest.Profile(t, name)
		for _, o := range device.Ops()[1:] {
			for k, typ := range device.Types() {
				call := device.Call{Type: typ, Op: o, Operand: device.Operand((i + k) % 2), Returns: k%3 == 2}
				if naive := d.CanCall(variant.Variant{}, call, 1); naive != nil &&
					(o == device.Mad || o == device.Div || call.Returns) {
					if _, err := tuner.NewChooser(d,
						tuner.Options{Call: call}); (err == nil) != (o == device.Div && typ.Float() &&
						!call.Returns) {
						t.Errorf("%s %s on %s: %v", o, typ, name, err)
					}
					continue
				}
				compared += comparePicks(t, d, tuner.Options{Call: call})
			}
		}
	}
	if compared < 500 {
		t.Errorf("only %d choices were compared", compared)
	}
}

// TestOperationsOfAChoice: what is like adding is chosen and corrected as it is;
// the rest has closed forms alone, says so, and costs no less where many updates
// meet at one target.
func TestOperationsOfAChoice(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	s := tunertest.Analyze(t, "zipf:n=262144,k=65536,seed=1,s=1.5")
	decide := func(c device.Call) tuner.Decision {
		t.Helper()
		got, err := tuner.Choose(s, d, tuner.Options{Call: c})
		if err != nil {
			t.Fatal(err)
		}
		checkDecision(t, got)
		return got
	}
	plain := decide(device.Call{})
	for _, o := range []device.Op{device.Min, device.Max} {
		got := decide(device.Call{Op: o})
		for i, r := range got.Ranking {
			if us := plain.Ranking[i].PredictedUS; r.PredictedUS < 0.99*us || r.PredictedUS > 1.01*us {
				t.Errorf("%s of u32: rank %d is %s with %v us, of add %v us", o, i+1, r.Implementation,
					r.PredictedUS, us)
			}
		}
		if got.Op != o || !slices.Equal(got.Warnings, plain.Warnings) {
			t.Errorf("%s: %s, warnings %q, of add %q", o, got.Op, got.Warnings, plain.Warnings)
		}
	}
	mul := decide(device.Call{Type: device.F32, Op: device.Mul})
	if !slices.ContainsFunc(mul.Warnings, func(w string) bool {
		return strings.Contains(w, "closed forms alone") && strings.Contains(w, "mul of f32")
	}) {
		t.Errorf("warnings %q", mul.Warnings)
	}
	times := func(d tuner.Decision) map[variant.Variant]float64 {
		list := map[variant.Variant]float64{}
		for _, r := range d.Ranking {
			list[r.Implementation] = r.PredictedUS
		}
		return list
	}
	if add, loop := times(decide(device.Call{Type: device.F32}))[variant.Variant{}],
		times(mul)[variant.Variant{}]; loop < 10*add {
		t.Errorf("naive takes %v us to add and %v us to multiply, where most updates meet", add, loop)
	}
	mad := times(decide(device.Call{Type: device.F32, Op: device.Mad}))
	if _, naive := mad[variant.Variant{}]; len(mad) != 2 || !naive {
		t.Errorf("mad is ranked for %v", mad)
	}
	if text := tunertest.MustJSON(t, plain); strings.Contains(text, `"op"`) {
		t.Errorf("a decision on sums names the operation: %s", text)
	}
	var back struct{ Op device.Op }
	if err := json.Unmarshal([]byte(tunertest.MustJSON(t, mul)), &back); err != nil ||
		back.Op != device.Mul {
		t.Errorf("the operation is read as %s, %v", back.Op, err)
	}
}

// TestDeterministicExtremes: extremes of floats hang on no order, products do.
func TestDeterministicExtremes(t *testing.T) {
	d, s := tunertest.Profile(t, "h200"), tunertest.Streams(t)[0]
	for o, want := range map[device.Op]bool{device.Max: true, device.Min: true, device.Mul: false,
		device.Add: false} {
		got, err := tuner.Choose(s, d, tuner.Options{Call: device.Call{Type: device.F32, Op: o},
			Deterministic: true})
		if err != nil {
			t.Fatal(err)
		}
		if has := slices.ContainsFunc(got.Ranking,
			func(r tuner.Ranked) bool { return r.Implementation.UsesAtomics() }); has != want {
			t.Errorf("%s: atomics are ranked: %v", o, has)
		}
	}
	if _, err := tuner.Choose(s, d, tuner.Options{Call: device.Call{Op: 17}}); !errors.Is(err,
		model.ErrOptions) {
		t.Errorf("operation 17: %v", err)
	}
}
