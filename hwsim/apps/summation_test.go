package apps

import (
	"errors"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/variant"
)

func summationForms() []appForm {
	forms := []appForm{{original: true}}
	for _, m := range []variant.Variant{methodNaive, methodSR, methodVR} {
		forms = append(forms, appForm{method: m})
	}
	return forms
}

func TestSummation(t *testing.T) {
	for _, name := range appDevices {
		for _, typ := range []device.Type{device.F32, device.F64, device.I32} {
			cfg := AppConfig{Device: appProfile(t, name), Application: Summation, Type: typ, Seed: 2}
			for _, n := range append(sizes, 511, 512, 513) {
				for _, bins := range []uint64{1, 2, 31, 1000, 3001} {
					if typ == device.I32 && bins != 31 {
						continue // launches are those of f32
					}
					for _, f := range summationForms() {
						f.run(t, cfg, AppInput{Keys: make([]uint32, n), Bins: bins})
					}
				}
			}
		}
	}
}

// TestSummationLevels: the original takes as many launches as it needs to come
// down to one sum; sums of a compacted array are added up likewise.
func TestSummationLevels(t *testing.T) {
	cfg := AppConfig{Device: appProfile(t, "h200"), Application: Summation, Type: device.F32}
	for _, c := range []struct {
		f       appForm
		n, bins int
		want    string
	}{
		{appForm{original: true}, 512, 1, "reduce"},
		{appForm{original: true}, 513, 1, "reduce reduce"},
		{appForm{original: true}, 1 << 19, 1, "reduce reduce reduce"},
		{appForm{}, 1 << 12, 1, "clear targets sum.naive"},
		{appForm{}, 1 << 12, 512, "clear targets sum.naive reduce"},
		{appForm{method: methodVR}, 1 << 12, 513, "clear targets sum.vr reduce reduce"},
	} {
		var names []string
		for _, k := range c.f.run(t, cfg, AppInput{Keys: make([]uint32, c.n),
			Bins: uint64(c.bins)}).Kernels {
			names = append(names, k.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s of %d elements to %d sums launches %q, want %q", c.f, c.n, c.bins, got, c.want)
		}
	}
}

// TestSummationCollisions: with one sum all threads collide, and more so than
// with 1,024; reducing first then pays, by either method.
func TestSummationCollisions(t *testing.T) {
	one, many := AppInput{Keys: make([]uint32, 1<<16), Bins: 1},
		AppInput{Keys: make([]uint32, 1<<16), Bins: 1024}
	for _, name := range appDevices {
		cfg := AppConfig{Device: appProfile(t, name), Application: Summation, Type: device.F32}
		naive := appForm{}.run(t, cfg, one)
		last := func(r AppResult) uint64 { return r.Kernels[1].Cycles }
		if spread := (appForm{}).run(t, cfg, many); last(spread) >= last(naive) {
			t.Errorf("%s: 1,024 sums take %d cycles, one sum %d", name, last(spread), last(naive))
		}
		for _, m := range []variant.Variant{methodSR, methodVR} {
			if reduced := (appForm{method: m}).run(t, cfg, one); reduced.US >= naive.US {
				t.Errorf("%s: one sum by %s takes %.1f us, by naive %.1f us", name, m, reduced.US, naive.US)
			}
		}
	}
}

// TestSummationOutput adds up in whole numbers of 1/8, and leaves one element
// out, which the check must notice.
func TestSummationOutput(t *testing.T) {
	call := device.Call{Type: device.F64}
	elements := arith.Values(call, 4, 5000)
	want := 0
	for _, v := range elements {
		want += int(8 * arith.Float(device.F64, v))
	}
	cfg := AppConfig{Device: appProfile(t, "c2075"), Type: device.F64, Method: methodVR}
	whole, short := newAppSession(cfg, device.F64), newAppSession(cfg, device.F64)
	total, err := whole.sumByAtomics(cfg, elements, 10)
	if err != nil {
		t.Fatal(err)
	}
	if got := 8 * arith.Float(device.F64, whole.Output(total)[0]); got != float64(want) {
		t.Errorf("sum %v/8, want %d/8", got, want)
	}
	left := 0 // an element that is not 0
	for arith.Float(device.F64, elements[left]) == 0 {
		left++
	}
	if total, err = short.sumByAtomics(cfg, append(elements[:left:left], elements[left+1:]...),
		10); err != nil {
		t.Fatal(err)
	}
	one := make([]uint32, len(elements))
	if arith.Correct(call, 4, one, 1, short.Output(total)) {
		t.Error("an element is left out and goes unnoticed")
	}
}

// TestModulo runs the remainders that the compacted array needs.
func TestModulo(t *testing.T) {
	const threads = 4096
	for _, n := range []uint64{1, 2, 3, 7, 64, 1000, 4095, 4096, 5000} {
		s := newAppSession(AppConfig{Device: appProfile(t, "gtx680")}, device.U32)
		s.counters(threads)
		b := machine.NewBuilder("modulo", 0)
		at := b.Add(b.Tid(), b.Mul(machine.BlockID, imm(256)))
		b.Store(kernel.BufTarget, at, modulo(b, at, threads, n))
		if s.runBlocks(b.Done(), threads/256, 256, 0); s.Err != nil {
			t.Fatal(s.Err)
		}
		for a, got := range s.Output(kernel.BufTarget) {
			if got != uint64(a)%n {
				t.Fatalf("%d mod %d = %d", a, n, got)
			}
		}
	}
	for n := uint64(3); n <= moduloLimit; n = n*5/4 + 1 { // the reciprocal at the ends of the range
		for a := uint64(moduloLimit - 3); a < moduloLimit; a++ {
			if got := a * ((1<<44)/n + 1) >> 44; got != a/n {
				t.Fatalf("%d div %d = %d", a, n, got)
			}
		}
	}
}

func TestSummationErrors(t *testing.T) {
	c := AppConfig{Device: appProfile(t, "h200"), Application: Summation}
	for _, p := range []struct {
		change func(*AppConfig, *AppInput)
		is     error
		want   string
	}{
		{func(_ *AppConfig, in *AppInput) { in.Keys = nil }, hwsim.ErrStream, "0 keys"},
		{func(_ *AppConfig, in *AppInput) { in.Bins = 0 }, hwsim.ErrStream, "0 sums, want 1 to"},
		{func(cfg *AppConfig, _ *AppInput) { cfg.Type = 9 }, device.ErrType, "Type(9)"},
		{func(cfg *AppConfig, _ *AppInput) { cfg.Method = methodSS }, hwsim.ErrStream, "method ss"},
	} {
		cfg, in := c, AppInput{Keys: []uint32{0}, Bins: 1}
		p.change(&cfg, &in)
		_, err := RunApplication(cfg, in)
		if !errors.Is(err, p.is) || !strings.Contains(err.Error(), p.want) {
			t.Errorf("error %v, want one of %v with %q", err, p.is, p.want)
		}
	}
}
