package hwsim

import (
	"errors"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

func TestErrors(t *testing.T) {
	h200 := profile(t, "h200")
	private := variant.Variant{Base: variant.Private}
	reduced := variant.Variant{Base: variant.Private, Reduction: variant.SR}
	for want, c := range map[string]struct {
		cfg     Config
		indices []uint32
		bins    uint64
		is      error
	}{
		"no device":            {Config{}, []uint32{0}, 1, ErrStream},
		"no updates":           {Config{Device: h200}, nil, 1, ErrStream},
		"index 7 is not below": {Config{Device: h200}, []uint32{0, 7}, 7, ErrStream},
		"targets, at most":     {Config{Device: h200}, []uint32{0}, MaxBins + 1, ErrStream},
		"in one stretch": {Config{Device: h200, Variant: variant.Variant{Base: variant.SegReduce}},
			[]uint32{1, 0, 1}, 2, ErrStream},
		"does not return": {Config{Device: h200, Variant: reduced, Call: device.Call{Returns: true}},
			[]uint32{0}, 1, device.ErrCannot},
		"shared memory": {Config{Device: h200, Variant: private}, []uint32{0}, 1 << 20,
			device.ErrCannot},
		"Type(9)": {Config{Device: h200, Call: device.Call{Type: 9}}, []uint32{0}, 1,
			device.ErrType},
		"Operand(2)": {Config{Device: h200, Call: device.Call{Operand: 2}}, []uint32{0}, 1,
			device.ErrType},
		"no such parts": {Config{Device: h200, Variant: variant.Variant{Base: 9}}, []uint32{0}, 1,
			ErrStream},
		"no match instruction": {Config{Device: profile(t, "c2075"),
			Variant: variant.Variant{Reduction: variant.Match}}, []uint32{0}, 1, device.ErrCannot},
	} {
		_, err := Run(c.cfg, c.indices, c.bins)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one of %v with %q", err, c.is, want)
		}
	}
}

// FuzzProfile runs five updates on every profile that loads: a user's own
// file must not bring the simulator down.
func FuzzProfile(f *testing.F) {
	for _, name := range device.Names() {
		data, err := profile(f, name).Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := device.Decode(data)
		if err != nil {
			return
		}
		for _, name := range []string{"naive", "sr", "private:r=2,pad=1", "sort", "segreduce",
			"threadprivate", "private:r=2,ranges=3", "hot:s=16,sample=1024"} {
			v, err := variant.Parse(name)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Run(Config{Device: d, Variant: v, Call: device.Call{Type: device.F32}},
				[]uint32{0, 0, 1, 2, 2}, 3)
			if err == nil && !r.Correct {
				t.Fatalf("%s: wrong final array", name)
			}
		}
	})
}
