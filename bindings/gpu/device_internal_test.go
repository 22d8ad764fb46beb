package gpu

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/tuner"
)

// opened returns a device of the stand-in, closed after the test.
func opened(t *testing.T) *Device {
	t.Helper()
	if os.Getenv("ATOMTUNE_GPU") != "" {
		t.Skip("a test of the stand-in")
	}
	d := must.Get(Open(0))(t)
	t.Cleanup(func() { must.Do(t, d.Close()) })
	return d
}

// waiting is a context that tells when a call waits for its end.
type waiting struct {
	context.Context
	told chan bool
}

func (w *waiting) Done() <-chan struct{} {
	w.told <- true
	return w.Context.Done()
}

// TestWaiting: a call whose context ends while it waits for the device ends, though another one runs.
func TestWaiting(t *testing.T) {
	d := opened(t)
	ctx, cancel := context.WithCancel(t.Context())
	runs, goesOn, first, second := make(chan bool), make(chan bool), make(chan error), make(chan error)
	go func() {
		first <- d.do(t.Context(), func(*driver.Session) { runs <- true; <-goesOn })
	}()
	<-runs
	w := &waiting{ctx, make(chan bool)}
	go func() {
		second <- d.do(w, func(*driver.Session) { t.Error("it ran") })
	}()
	<-w.told
	cancel()
	if err := <-second; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	goesOn <- true
	must.Do(t, <-first)
}

// TestFirst: calls that name no device share one.
func TestFirst(t *testing.T) {
	opened(t)
	if one, two := must.Get(first())(t), must.Get(first())(t); one != two {
		t.Error("the first GPU was opened twice")
	}
}

// TestFreed: what a buffer had is the driver's again.
func TestFreed(t *testing.T) {
	d := opened(t)
	b := must.Get(Upload(t.Context(), d, []uint64{1, 2}))(t)
	memory := b.memory
	must.Do(t, b.Free(t.Context()))
	if err := d.do(t.Context(), func(s *driver.Session) { s.Write(memory, make([]byte, 8)) }); err == nil {
		t.Error("its memory can be written after it was freed")
	}
}

// TestKnownTags: the hottest targets of all updates are in a table that no sample fills.
func TestKnownTags(t *testing.T) {
	d := opened(t)
	index := slices.Concat(slices.Repeat([]uint32{7}, 9), slices.Repeat([]uint32{70}, 8), []uint32{1})
	counts := make([]uint32, 100)
	for _, i := range index {
		counts[i]++
	}
	for name, want := range map[string][]uint32{"hot:s=64": impl.Tags(counts, 64),
		"hot:s=16": impl.Tags(counts, 16), "hot:s=64,sample=2048": nil, "naive": nil} {
		must.Do(t, d.do(t.Context(), func(*driver.Session) {
			c, err := d.choose(&request{index: index, bins: 100, o: Options{Implementation: name}})
			if err != nil || !slices.Equal(c.tags, want) {
				t.Errorf("%s: %v, %v, want %v", name, c, err, want)
			}
		}))
	}
}

// TestPredicted: what is predicted is the tuner's choice for calls on targets that hold something, among
// what needs no other order of the updates and no table of hot targets.
func TestPredicted(t *testing.T) {
	d := opened(t)
	index := make([]uint32, 1<<18)
	for u := range index {
		index[u] = uint32(u*u) % 4096
	}
	profile := must.Get(device.Builtin("h200"))(t)
	for _, does := range []device.Call{{Type: device.U32, Operand: device.One}, {Type: device.F64},
		{Type: device.F32, Returns: true}} {
		var only []impl.Spec
		all := tuner.Options{}.Candidates(profile)
		for _, v := range all {
			if (v.Algorithm == impl.Global && !v.Scatter || v.Algorithm == impl.Private || v.Algorithm == impl.ThreadPrivate) &&
				(!does.Returns || v.ReturnsOld()) {
				only = append(only, v)
			}
		}
		if got := d.candidates(does, all); !slices.Equal(got, only) {
			t.Errorf("%+v: among %v, want %v", does, got, only)
		}
		call := does
		call.Keeps = true
		o := tuner.Options{Call: call, Only: only}
		for _, launches := range []int{1, 1000} {
			want, _, err := must.Get(tuner.New(profile, o))(t).PickSampled(index, 4096, tuner.SamplingBudget{Calls: launches})
			must.Do(t, err)
			must.Do(t, d.do(t.Context(), func(*driver.Session) {
				c, err := d.choose(&request{does, index, 4096, Options{Profile: "h200", Calls: launches}})
				if err != nil || launches == 1 && (c.Implementation != want.Implementation || c.PredictedUS != want.PredictedUS) ||
					c.PredictedUS > want.PredictedUS {
					t.Errorf("%+v, %d launches: %+v, %v, want %+v", does, launches, c, err, want)
				}
			}))
		}
	}
}

// TestManyTargets: of more targets than indices can name those that they can are chosen for.
func TestManyTargets(t *testing.T) {
	d := opened(t)
	must.Do(t, d.do(t.Context(), func(*driver.Session) {
		c := must.Get(d.chooser(asked{profile: "h200"}))(t)
		index := make([]uint32, 1<<18)
		for _, launches := range []int{1, 1000} {
			most := must.Get(c.pick(index, 1<<32, launches))(t)
			if got, err := c.pick(index, 1<<32+1, launches); err != nil || got != most || got.PredictedUS <= 0 {
				t.Errorf("%+v, %v, want %+v", got, err, most)
			}
		}
	}))
}
