package tuner_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// TestPickAgreesUnderConstraints compares the fast form with the plain one
// under each constraint, with a model and without.
func TestPickAgreesUnderConstraints(t *testing.T) {
	_, fitted := tunertest.Trained()
	list, compared := tunertest.Streams(t), 0
	for name, m := range map[string]*model.Model{"h200": fitted, "c2075": nil, "hd5870": nil} {
		d := tunertest.Profile(t, name)
		for i, call := range []device.Call{{}, {Type: device.F32},
			{Type: device.U64, Operand: device.One}} {
			if d.CanCall(variant.Variant{}, call, 1) != nil {
				continue
			}
			for _, bytes := range []uint64{0, 1, 1 << 16} {
				for flags := range 4 {
					compared += comparePicksOn(t, list, d, tuner.Options{
						Call: call, Model: m, MemoryBytes: bytes, Relaid: i == 1,
						NoSort: flags&1 != 0, Cautious: flags&2 != 0,
					})
				}
			}
		}
	}
	if compared < 1000 {
		t.Errorf("only %d choices were compared", compared)
	}
}

// TestMemoryBound: the ranking holds what keeps within the bound and nothing
// else, and a bound below what anything takes is an error with the reason.
func TestMemoryBound(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	s := tunertest.Analyze(t, "sorted:n=20000,k=64")
	all, err := tuner.Choose(s, d, tuner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	needed := map[string]uint64{}
	for _, r := range all.Ranking {
		needed[r.Implementation.String()] = r.MemoryBytes
		if want := tuner.ScratchBytes(t, r.Implementation, d, device.Call{}, s.Updates, s.Bins,
			false); r.MemoryBytes != want {
			t.Errorf("%s: %d bytes, ScratchBytes says %d", r.Implementation, r.MemoryBytes, want)
		}
	}
	for _, bytes := range []uint64{1, needed["threadprivate"] - 1, needed["threadprivate"],
		needed["ss"], needed["sort"] - 1, needed["sort"]} {
		got, err := tuner.Choose(s, d, tuner.Options{MemoryBytes: bytes})
		if err != nil {
			t.Fatal(err)
		}
		for name, need := range needed {
			ranked := slices.ContainsFunc(got.Ranking,
				func(r tuner.Ranked) bool { return r.Implementation.String() == name })
			if ranked != (need <= bytes) {
				t.Errorf("%s takes %d bytes; with %d allowed, ranked: %t", name, need, bytes, ranked)
			}
		}
	}
	_, err = tuner.Choose(s, d, tuner.Options{MemoryBytes: 100,
		Only: []variant.Variant{{Base: variant.Sort}}})
	if !errors.Is(err, model.ErrNone) || !strings.Contains(err.Error(), "sort (needs") ||
		!strings.Contains(err.Error(), "100 B allowed") {
		t.Errorf("error %v", err)
	}
}

// TestScratchBytes works the formulas out by hand for a stream of 2^20 updates.
func TestScratchBytes(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	const n = 1 << 20
	f64, ones := device.Call{Type: device.F64}, device.Call{Type: device.U64, Operand: device.One}
	tiles := uint64(n / (256 * 16))
	for _, c := range []struct {
		name   string
		call   device.Call
		bins   uint64
		relaid bool
		want   uint64
	}{
		{"naive", f64, 256, false, 0},
		{"match", f64, 256, false, 0},
		{"private:r=4,pad=1", f64, 256, false, 0},
		{"ss", f64, 256, false, n * 12},
		{"ss", f64, 256, true, 0},
		{"sr+ss", ones, 256, false, n * 4},
		{"sort", device.Call{}, 256, false, n*8 + 1024*(1+tiles) + 256*8 + 4},
		{"sort", device.Call{}, 1 << 24, false, 2*n*8 + 1024*(3+tiles) + n*8 + 4},
		{"sort", ones, 1 << 24, false, 2*n*4 + 1024*(3+tiles) + n*8 + 4},
		{"segreduce", f64, 256, false, n*12 + 4},
		{"threadprivate", device.Call{}, 16, false,
			16 * 4 * d.Limits().Shape(variant.Variant{Base: variant.ThreadPrivate}, device.U32, 16,
				n, device.Launch{}).Blocks},
	} {
		v, err := variant.Parse(c.name)
		if err != nil {
			t.Fatal(err)
		}
		if got := tuner.ScratchBytes(t, v, d, c.call, n, c.bins, c.relaid); got != c.want {
			t.Errorf("%s of %s, %d targets: %d bytes, want %d", c.name, c.call.Type, c.bins, got, c.want)
		}
	}
	// One slot per workgroup and one for the coordinator, in words, six times.
	amd := tunertest.Profile(t, "hd5870")
	if got, want := tuner.ScratchBytes(t, variant.Variant{Base: variant.Coordinator}, amd,
		device.Call{}, 64*100, 64, false), uint64(6*512); got != want {
		t.Errorf("coordinator: %d bytes, want %d", got, want)
	}
	if got := tuner.ScratchBytes(t, variant.Variant{Base: variant.Sort}, d, f64, math.MaxUint64, 1<<32,
		false); got < math.MaxUint64>>8 {
		t.Errorf("the longest stream: %d bytes", got)
	}
}

// TestNoSort: nothing that reorders the stream is ranked.
func TestNoSort(t *testing.T) {
	s := tunertest.Analyze(t, "sorted:n=20000,k=64")
	got, err := tuner.Choose(s, tunertest.Profile(t, "h200"), tuner.Options{NoSort: true})
	if err != nil {
		t.Fatal(err)
	}
	checkDecision(t, got)
	grouped := false
	for _, r := range got.Ranking {
		v := r.Implementation
		if v.Base == variant.Sort || v.Scatter {
			t.Errorf("%s is ranked", v)
		}
		grouped = grouped || v.Base == variant.SegReduce
	}
	if !grouped {
		t.Error("segreduce, which does not sort, is not ranked")
	}
	_, err = tuner.NewChooser(tunertest.Profile(t, "h200"), tuner.Options{NoSort: true,
		Only: []variant.Variant{{Base: variant.Sort}}})
	if !errors.Is(err, model.ErrNone) {
		t.Errorf("error %v", err)
	}
}

// TestGroupedSample: a sample does not make segreduce, which is right on grouped
// streams alone, a candidate; a sample of the whole stream does.
func TestGroupedSample(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	s := *tunertest.Analyze(t, "sorted:n=20000,k=64")
	only := tuner.Options{Only: []variant.Variant{{Base: variant.SegReduce}}}
	c, err := tuner.NewChooser(d, only)
	if err != nil {
		t.Fatal(err)
	}
	s.Sampled = &collision.Sampling{Blocks: 10, TotalBlocks: 78}
	_, err = tuner.Choose(&s, d, only)
	_, fast := c.Pick(&s)
	if !errors.Is(err, model.ErrNone) || !strings.Contains(err.Error(), "sample") ||
		!errors.Is(fast, model.ErrNone) {
		t.Errorf("Choose: %v, Pick: %v", err, fast)
	}
	s.Sampled.Blocks = 78
	if _, err := tuner.Choose(&s, d, only); err != nil {
		t.Error(err)
	}
	if _, err := c.Pick(&s); err != nil {
		t.Error(err)
	}
}
