package request

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/plan"
)

const bins = 1000

// targets are those of a stream of n updates, the same in each type of index.
func targets[I index](n int) []I {
	all := make([]I, n)
	for i := range all {
		all[i] = I(uint64(i) * 0x9e3779b97f4a7c15 >> 40 % bins)
	}
	return all
}

// TestStreams: each type of index reads as the same targets.
func TestStreams(t *testing.T) {
	want := targets[uint32](70000)
	for _, s := range []Stream{&Of[uint32]{Indices: want}, &Of[int32]{Indices: targets[int32](70000)},
		&Of[uint64]{Indices: targets[uint64](70000)}, &Of[int64]{Indices: targets[int64](70000)}} {
		got := make([]uint32, 500)
		if err := s.Read(got, 69500); err != nil || !slices.Equal(got, want[69500:]) {
			t.Errorf("%s: %v, %v", s.Type(), got[:5], err)
		}
		if got, err := s.keep(nil, 100, 70000, false); err != nil || !slices.Equal(got, want[100:]) {
			t.Errorf("%s: %v, %v", s.Type(), got[:5], err)
		}
		if got := s.target(77, bins); s.Len() != 70000 || s.ignores() || got != want[77] {
			t.Errorf("%s: %d updates, target %d, want %d", s.Type(), s.Len(), got, want[77])
		}
	}
}

// TestIndicesOutOfRange: an index that is not a target is an error that names it, but where it is
// ignored, and has no target in the hash of a plan.
func TestIndicesOutOfRange(t *testing.T) {
	ignored := int64(-1)
	for _, c := range []struct {
		s    Stream
		says string // of the last update; "": it is ignored
	}{
		{&Of[int32]{Indices: []int32{1, -7}}, "-7"},
		{&Of[int64]{Indices: []int64{1, math.MinInt64}}, "-9223372036854775808"},
		{&Of[int64]{Indices: []int64{1, 1 << 32}}, "4294967296"},
		{&Of[uint64]{Indices: []uint64{1, math.MaxUint64}}, "18446744073709551615"},
		{&Of[int64]{Indices: []int64{1, -2}, Ignored: &ignored}, "-2"},
		{&Of[int64]{Indices: []int64{1, -1}, Ignored: &ignored}, ""},
	} {
		kept, err := c.s.keep(nil, 0, 2, false)
		readErr := c.s.Read(make([]uint32, 2), 0)
		_, lastErr := c.s.keep(nil, 1, 2, false) // the same update, read by itself
		lastReadErr := c.s.Read(make([]uint32, 1), 1)
		if c.says == "" {
			if err != nil || !slices.Equal(kept, []uint32{1}) {
				t.Errorf("ignored: %v, %v", kept, err)
			}
		} else if !errors.Is(err, collision.ErrIndex) || !strings.Contains(err.Error(), c.says) ||
			readErr.Error() != err.Error() || lastErr.Error() != err.Error() ||
			lastReadErr.Error() != err.Error() {
			t.Errorf("%s: %v, %v, %v, %v, want %s", c.s.Type(), err, readErr, lastErr, lastReadErr, c.says)
		}
		if a, b := c.s.target(0, 2), c.s.target(1, 1<<63); a != 1 || b != impl.NoTarget {
			t.Errorf("%s: targets %d and %d", c.s.Type(), a, b)
		}
	}
	if got := (&Of[uint32]{Indices: []uint32{bins}}).target(0, bins); got != impl.NoTarget {
		t.Errorf("target %d of %d", got, bins)
	}
}

// TestLastIndices: the last index of a type is a target where there are so many, and of no fewer bins.
func TestLastIndices(t *testing.T) {
	for _, s := range []Stream{&Of[int32]{Indices: []int32{math.MaxInt32}},
		&Of[uint32]{Indices: []uint32{math.MaxUint32 - 1}}, &Of[int64]{Indices: []int64{math.MaxUint32 - 1}},
		&Of[uint64]{Indices: []uint64{math.MaxUint32 - 1}}} {
		got, want := make([]uint32, 1), uint32(math.MaxUint32-1)
		if s.Type() == device.I32 {
			want = math.MaxInt32
		}
		kept, err := s.keep(nil, 0, 1, false)
		if readErr := s.Read(got, 0); err != nil || readErr != nil || kept[0] != want || got[0] != want {
			t.Errorf("%s: %v, %v, %v, %v, want %d", s.Type(), kept, err, got, readErr, want)
		}
		if in, out := s.target(0, uint64(want)+1), s.target(0, uint64(want)); in != want ||
			out != impl.NoTarget {
			t.Errorf("%s: targets %d and %d, want %d and none", s.Type(), in, out, want)
		}
	}
}

// TestIgnored: -1 stands for the highest index of an unsigned type, and an index that a type does
// not have is never ignored.
func TestIgnored(t *testing.T) {
	words := []uint32{1, math.MaxUint32}
	for ignored, want := range map[int64]bool{1: true, -1: true, math.MaxUint32: true, 1 << 32: false,
		-2: false} {
		s := NewStream[uint32](unsafe.Pointer(&words[0]), 2, true, ignored)
		if s.ignores() != want || want && *s.Ignored != uint32(ignored) {
			t.Errorf("%d: %v", ignored, s.Ignored)
		}
	}
	if NewStream[uint32](nil, 0, false, 1).ignores() {
		t.Error("ignores what it was not told to")
	}
}

// TestMeasure: a stream of several chunks has the statistics of all its updates, each counted once, without
// those that are ignored.
func TestMeasure(t *testing.T) {
	words, ignored := targets[uint32](2*chunk+100), uint32(7)
	for _, s := range []*Of[uint32]{{Indices: words}, {Indices: words, Ignored: &ignored}} {
		kept := slices.DeleteFunc(slices.Clone(words), func(x uint32) bool { return s.ignores() && x == ignored })
		want := must.Get(collision.Analyze(kept, collision.Options{Bins: bins, WarpSize: 32}))(t)
		r := Request{Device: "h200", Bins: bins}
		if got, err := r.Measure(s); err != nil || got != want {
			t.Errorf("ignores %t: %v (-want +got):\n%s", s.ignores(), err, cmp.Diff(want, got))
		}
	}
}

// TestChoose: a sample is chosen by as tuner.ChooseSampled does, the whole as tuner.Choose does
// with a search among launches.
func TestChoose(t *testing.T) {
	d, words := must.Get(device.Builtin("h200"))(t), targets[uint32](300000)
	s := &Of[uint32]{Indices: words}
	for _, launches := range []int{1, 1e6} {
		r := Request{Device: "h200", Bins: bins, Sampling: tuner.SamplingBudget{Calls: launches}}
		want := must.Get(tuner.ChooseSampled(words, bins, d, tuner.Options{}, r.Sampling))(t)
		source := Prior
		if want.Sampling.Sampled {
			source = Sample
		}
		if got, err := r.Choose(s); err != nil || got.PredictedUS != want.Choice.PredictedUS ||
			got.Implementation != want.Choice.Implementation || got.Source != source ||
			got.Sampled != want.Sampling.Updates || got.Launch != want.Ranking[0].Launch {
			t.Errorf("%d launches: %+v, %v, want %+v", launches, got, err, want.Choice)
		}
		if (launches > 1) != want.Sampling.Sampled {
			t.Errorf("%d launches: sampled %t", launches, want.Sampling.Sampled)
		}
	}
	for _, rule := range []bool{false, true} { // of the default device
		r := Request{Whole: true, RuleLaunch: rule, Exclude: "naive,sr"}
		want := must.Get(tuner.ChooseStream(words, 0, d, tuner.Options{SearchLaunch: !rule,
			Exclude: []impl.Spec{{}, {Reduction: impl.SR}}}))(t)
		got, err := r.Choose(s)
		if err != nil || got.Source != Statistics || got.PredictedUS != want.Choice.PredictedUS ||
			got.Launch != want.Ranking[0].Launch || got.FloorUS != want.Floor.US {
			t.Errorf("rule %t: %+v, %v, want %+v", rule, got, err, want.Choice)
		}
	}
}

// TestFixedLaunch: a launch of which anything is fixed is not searched, and stays as it is.
func TestFixedLaunch(t *testing.T) {
	d, words := must.Get(device.Builtin("h200"))(t), targets[uint32](3000)
	for _, l := range []device.Launch{{Blocks: 20}, {Threads: 64}, {Unroll: 2}, {Blocks: 20, Threads: 64, Unroll: 2}} {
		want := must.Get(tuner.ChooseStream(words, bins, d, tuner.Options{Launches: []device.Launch{l}}))(t)
		for _, rule := range []bool{false, true} {
			r := Request{Device: "h200", Whole: true, RuleLaunch: rule, Bins: bins, Options: tuner.Options{Launches: []device.Launch{l}}}
			got, err := r.Choose(&Of[uint32]{Indices: words})
			if err != nil || got.Launch != want.Ranking[0].Launch || got.PredictedUS != want.Choice.PredictedUS ||
				l.Blocks > 0 && got.Launch.Blocks != l.Blocks || l.Threads > 0 && got.Launch.Threads != l.Threads ||
				l.Unroll > 0 && got.Launch.Unroll != l.Unroll {
				t.Errorf("%v: %+v, %v", l, got.Launch, err)
			}
		}
	}
}

// TestEstimateSaysSo: a choice by a profile that is an estimate says so in its reason, within the room
// that the library has for it, whether a sample, the whole stream or nothing was read. Others do not.
func TestEstimateSaysSo(t *testing.T) {
	words := targets[uint32](300000)
	for name, want := range map[string]bool{"a100": true, "mi300x": true, "h200": false} {
		for _, r := range []Request{{Device: name, Bins: bins}, {Device: name, Whole: true},
			{Device: name, Bins: bins, Sampling: tuner.SamplingBudget{Calls: 1e6}}} {
			a, err := r.Choose(&Of[uint32]{Indices: words})
			says := strings.Contains(a.Reason, "estimate")
			if err != nil || says != want || len(a.Reason) >= 2048 {
				t.Errorf("%s: %q, %v", name, a.Reason, err)
			}
		}
	}
}

// TestOnlyChosen: what is chosen among few has the time that it has among all, and the reason says where
// it needs hot targets before the call.
func TestOnlyChosen(t *testing.T) {
	words := targets[uint32](300000)
	h200 := must.Get(device.Builtin("h200"))(t)
	all := must.Get(tuner.ChooseStream(words, bins, h200, tuner.Options{SearchLaunch: true}))(t)
	for name, want := range map[string]bool{"hot:s=64,r=32": true, "hot:s=64,r=32,sample=2048": false,
		"threadprivate": false} {
		r := Request{Device: "h200", Whole: true, Only: name}
		a, err := r.Choose(&Of[uint32]{Indices: words})
		at := slices.IndexFunc(all.Ranking, func(r tuner.Ranked) bool { return r.Implementation.String() == name })
		if err != nil || at < 0 || a.PredictedUS != all.Ranking[at].PredictedUS ||
			(strings.Count(a.Reason, name) > 1) != want {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
}

// TestErrors: each names what was wrong.
func TestErrors(t *testing.T) {
	s := &Of[uint32]{Indices: targets[uint32](3000)}
	for _, c := range []struct {
		r    Request
		want error
		says string
	}{
		{Request{Device: "abacus", Bins: bins}, device.ErrUnknown, "abacus"},
		{Request{Device: "h200"}, ErrArgument, "bins"},
		{Request{Device: "h200", Bins: 5, Whole: true}, collision.ErrIndex, "5 bins"},
		{Request{Device: "h200", Bins: bins, Only: "naive two"}, ErrArgument, "two"},
		{Request{Device: "h200", Bins: bins, Only: "naive", Exclude: "naive"}, tuner.ErrNone, "h200"},
		{Request{Device: "h200", Bins: 1<<32 + 1, Whole: true}, collision.ErrOptions, "2^32"},
	} {
		if _, err := c.r.Choose(s); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want %v: %s", c.r, err, c.want, c.says)
		}
	}
}

// TestPlans: what was saved is found for the same call, and for no other.
func TestPlans(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plans")
	s := &Of[int64]{Indices: targets[int64](5000)}
	r := Request{Device: "h200", Bins: bins,
		Options: tuner.Options{Call: device.Call{Type: device.F32}}}
	launch := device.Launch{Blocks: 132, Threads: 1024, Unroll: 4}
	must.Do(t, r.SavePlan(path, "", s, "private:r=4,pad=1", launch))
	found := func(r Request, s Stream) bool {
		a, ok, err := r.FindPlan(path, "NVIDIA H200", s)
		if err != nil {
			t.Fatal(err)
		}
		l := a.Launch
		if ok && (a.Implementation.String() != "private:r=4,pad=1" || a.Source != Plan ||
			l.Blocks != 132 || l.Threads != 1024 || l.SharedBytes != 4*(bins+1)*4) {
			t.Errorf("%+v", a)
		}
		return ok
	}
	if !found(r, s) {
		t.Error("no plan for the same call")
	}
	deterministic, only, typed := r, r, r
	deterministic.Options.Deterministic = true
	only.Only = "naive"
	typed.Options.Call.Type = device.F64
	if found(deterministic, s) || found(only, s) || found(typed, s) {
		t.Error("a plan that the options do not admit, or of another type")
	}
	if found(r, &Of[int32]{Indices: targets[int32](5000)}) ||
		found(r, &Of[int64]{Indices: s.Indices[1:]}) {
		t.Error("a plan for other indices")
	}
	text := must.Get(os.ReadFile(path))(t)
	stale := strings.Replace(string(text), "version="+plan.Version, "version=older", 1)
	if err := os.WriteFile(path, []byte(stale), 0o644); err != nil || stale == string(text) {
		t.Fatal(err, stale)
	}
	if found(r, s) {
		t.Error("a plan of another version")
	}
	for _, c := range []struct {
		path, name string
		launch     device.Launch
		want       error
	}{
		{filepath.Dir(path), "naive", device.Launch{}, ErrFile},
		{path, "naive", device.Launch{Unroll: 3}, ErrArgument},
		{path, "two", device.Launch{}, ErrArgument},
	} {
		if err := r.SavePlan(c.path, "", s, c.name, c.launch); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestAttempt: a panic is an error that says what it was.
func TestAttempt(t *testing.T) {
	must.Do(t, Attempt(func() error { return nil }))
	if err := Attempt(func() error { return ErrFile }); err != ErrFile {
		t.Error(err)
	}
	var s *Of[int32]
	err := Attempt(func() error { return s.Read(make([]uint32, 1), 0) })
	if !errors.Is(err, ErrFault) || !strings.Contains(err.Error(), "nil pointer") {
		t.Error(err)
	}
}
