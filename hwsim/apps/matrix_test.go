package apps

import (
	"errors"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/variant"
)

func spmvForms() []appForm {
	forms := []appForm{{original: true}}
	for _, m := range []variant.Variant{methodNaive, methodSR, methodVR, methodSS, methodSRSS,
		{Reduction: variant.VR, Samples: 2}} {
		forms = append(forms, appForm{method: m})
	}
	return forms
}

// appMatrix draws a matrix of n elements.
func appMatrix(kind string, n int, rows, columns uint64) AppInput {
	return AppInput{
		Keys: sorted(appKeys(kind, n, rows)), Others: appKeys("uniform", n, columns), Bins: rows,
		Width: columns,
	}
}

func TestSpMV(t *testing.T) {
	for _, name := range appDevices {
		for _, typ := range []device.Type{device.F32, device.F64} {
			cfg := AppConfig{Device: appProfile(t, name), Application: SpMV, Type: typ, Seed: 3}
			for _, n := range sizes {
				for _, in := range []AppInput{
					appMatrix("equal", n, 5, 9), appMatrix("uniform", n, 1, 1), appMatrix("uniform", n, 40, 3000),
					appMatrix("uniform", n, 6000, 50),
				} {
					for _, f := range spmvForms() {
						f.run(t, cfg, in)
					}
				}
			}
		}
	}
}

// TestSpMVIntervals runs a device of one SM, whose warps each take several
// units, over long rows, short rows and one row: carries go from turn to turn,
// from warp to warp and, of more than 512 warps, from block to block of these.
func TestSpMVIntervals(t *testing.T) {
	small := *appProfile(t, "gtx680")
	small.Core.SMs.Value = 1
	large := appProfile(t, "h200")
	for _, c := range []struct {
		d *device.Profile
		n int
	}{{&small, 6007}, {large, 40009}} {
		for _, rows := range []uint64{1, 3, 70, 4000} {
			cfg := AppConfig{Device: c.d, Application: SpMV, Type: device.F64}
			in := appMatrix("uniform", c.n, rows, 100)
			for _, f := range []appForm{{original: true}, {method: methodSR}, {method: methodSRSS}} {
				f.run(t, cfg, in)
			}
		}
	}
}

// TestSpMVDirections: rows of many elements are what sr is for, on the devices
// of [egielski14] most; the host's re-layout costs time unless it was done
// before.
func TestSpMVDirections(t *testing.T) {
	in := appMatrix("uniform", 1<<15, 200, 200)
	for _, name := range appDevices {
		cfg := AppConfig{Device: appProfile(t, name), Application: SpMV, Type: device.F32}
		naive, sr := appForm{}.run(t, cfg, in), appForm{method: methodSR}.run(t, cfg, in)
		if sr.US >= naive.US {
			t.Errorf("%s: rows of 160 elements take sr %.1f us and naive %.1f us", name, sr.US, naive.US)
		}
		scattered := appForm{method: methodSRSS}
		hosted := scattered.run(t, cfg, in)
		cfg.Relaid = true
		relaid := scattered.run(t, cfg, in)
		if relaid.HostUS != 0 || hosted.HostUS <= 0 || hosted.US != relaid.US+hosted.HostUS {
			t.Errorf("%s: sr+ss takes %v us with %v us of the host, and %v us relaid", name, hosted.US,
				hosted.HostUS, relaid.US)
		}
	}
}

// TestSpMVGather: columns far apart cost more sectors of x than neighbours.
func TestSpMVGather(t *testing.T) {
	near, far := appMatrix("uniform", 1<<14, 3000, 1<<16), appMatrix("uniform", 1<<14, 3000, 1<<16)
	for i := range near.Others {
		near.Others[i] = uint32(i)
	}
	for _, original := range []bool{true, false} {
		cfg := AppConfig{Device: appProfile(t, "c2075"), Application: SpMV, Type: device.F32}
		f := appForm{original: original, method: methodSR}
		if a, b := f.run(t, cfg, near), f.run(t, cfg, far); a.US >= b.US {
			t.Errorf("original %v: neighbouring columns take %.1f us, random ones %.1f us", original, a.US,
				b.US)
		}
	}
}

// TestSpMVOutput multiplies in whole numbers of 1/64 and compares, and then
// changes one element, which the check must notice.
func TestSpMVOutput(t *testing.T) {
	in := appMatrix("uniform", 3000, 50, 20)
	for _, run := range []func(*appSession, AppInput, []uint64, []uint64) error{(*appSession).spmvFlat,
		(*appSession).spmvAtomic} {
		s := newAppSession(AppConfig{Device: appProfile(t, "gtx680"), Method: methodSR}, device.F32)
		s.Updates, s.Bins = uint64(len(in.Keys)), in.Bins
		call := device.Call{Type: device.F32}
		elements, x := arith.Values(call, 1, len(in.Keys)), arith.Values(call, 2, int(in.Width))
		if err := run(s, in, elements, x); err != nil {
			t.Fatal(err)
		}
		want := make([]int, in.Bins)
		for i, row := range in.Keys {
			want[row] += int(8*arith.Float(device.F32, elements[i])) * int(
				8*arith.Float(device.F32, x[in.Others[i]]))
		}
		for row, v := range s.Output(kernel.BufTarget) {
			if got := 64 * arith.Float(device.F32, v); got != float64(want[row]) {
				t.Errorf("row %d is %v/64, want %d/64", row, got, want[row])
			}
		}
		for _, changed := range []int{20, 1500, 2999} {
			for x[in.Others[changed]] == 0 { // which no element changes
				changed--
			}
			wrong := append([]uint64(nil), elements...)
			wrong[changed] = arith.PatternOf(device.F32, arith.Float(device.F32, elements[changed])+0.125)
			reference, bound := spmvReference(device.F32, in, wrong, x)
			if arith.Matches(device.F32, s.Output(kernel.BufTarget), reference, bound) {
				t.Errorf("element %d is wrong and goes unnoticed", changed)
			}
		}
	}
}

func TestSpMVErrors(t *testing.T) {
	h200 := AppConfig{Device: appProfile(t, "h200"), Application: SpMV, Type: device.F32}
	matrix := func(rows, columns []uint32, n, width uint64) AppInput {
		return AppInput{Keys: rows, Others: columns, Bins: n, Width: width}
	}
	two := []uint32{0, 1}
	integer := h200
	integer.Type = device.U32
	private := h200
	private.Method = variant.Variant{Base: variant.Private}
	for _, c := range []struct {
		cfg  AppConfig
		in   AppInput
		want string
	}{
		{integer, matrix(two, two, 2, 2), "type u32, want one of [f32 f64]"},
		{h200, matrix(nil, nil, 2, 2), "0 keys"},
		{h200, matrix(two, two[:1], 2, 2), "1 columns for 2 keys"},
		{h200, matrix(two, two, 0, 2), "0 rows, want 1 to"},
		{h200, matrix(two, two, 2, 0), "0 columns, want 1 to"},
		{h200, matrix([]uint32{1, 0}, two, 2, 2), "element 1: row 0 after row 1"},
		{h200, matrix(two, two, 1, 2), "row of element 1: 1 is not below 1 rows"},
		{h200, matrix(two, two, 2, 1), "column of element 1: 1 is not below 1 columns"},
		{private, matrix(two, two, 2, 2), "method private, want one of [naive sr vr ss sr+ss]"},
	} {
		_, err := RunApplication(c.cfg, c.in)
		if !errors.Is(err, hwsim.ErrStream) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}
