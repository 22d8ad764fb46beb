package hwsim

import (
	"errors"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// TestErrors: what cannot be simulated is refused by runs and by estimates, and what cannot be
// reduced beforehand as well.
func TestErrors(t *testing.T) {
	type calls = device.Call
	one, three := []uint32{0}, []uint32{0, 1, 1}
	cannot := device.ErrCannot
	for _, c := range []struct {
		device, implementation string
		call                   device.Call
		launch                 device.Launch
		indices                []uint32
		bins                   uint64
		is                     error
		names                  string
	}{
		{"", "naive", calls{}, device.Launch{}, one, 1, ErrStream, "device"},
		{"h200", "naive", calls{}, device.Launch{}, nil, 1, ErrStream, ""},
		{"h200", "naive", calls{}, device.Launch{}, []uint32{0, 7}, 7, ErrStream, "7"},
		{"h200", "naive", calls{}, device.Launch{}, one, MaxBins + 1, ErrStream, ""},
		{"h200", "naive", calls{Type: 9}, device.Launch{}, one, 1, device.ErrType, "9"},
		{"h200", "naive", calls{Operand: 2}, device.Launch{}, one, 1, device.ErrType, "2"},
		{"h200", "naive", calls{Op: 9}, device.Launch{}, one, 1, device.ErrType, "9"},
		{"h200", "segreduce", calls{}, device.Launch{}, []uint32{1, 0, 1}, 2, ErrStream, ""},
		{"h200", "private+sr", calls{Returns: true}, device.Launch{}, one, 1, cannot, ""},
		{"h200", "private", calls{}, device.Launch{}, one, 1 << 20, cannot, ""},
		{"c2075", "match", calls{}, device.Launch{}, one, 1, cannot, "match"},
		{"h200", "coordinator", calls{}, device.Launch{}, one, 1, cannot, "coordinator"},
		{"hd5870", "coordinator", calls{}, device.Launch{}, one, 1, nil, ""},
		{"h200", "naive", calls{Op: device.Mad}, device.Launch{}, three, 2, nil, ""},
		{"h200", "ss", calls{Op: device.Mad, Type: device.F64}, device.Launch{}, three, 2, nil, ""},
		{"h200", "sr", calls{Op: device.Mad, Type: device.F32}, device.Launch{}, three, 2, cannot, "mad"},
		{"h200", "private", calls{Op: device.Mad}, device.Launch{}, three, 2, cannot, "mad"},
		{"h200", "sort", calls{Op: device.Mad}, device.Launch{}, three, 2, cannot, "mad"},
		{"h200", "private", calls{Op: device.Div}, device.Launch{}, three, 2, cannot, "div"},
		{"h200", "private", calls{Op: device.Div, Type: device.F32}, device.Launch{}, three, 2, nil, ""},
		{"h200", "naive", calls{}, device.Launch{Threads: 2048}, three, 100, cannot, "2048"},
		{"hd5870", "sr", calls{}, device.Launch{Threads: 96}, three, 100, cannot, "96"},
		{"h200", "sort", calls{}, device.Launch{Blocks: 1}, three, 100, cannot, "sort"},
		{"h200", "threadprivate", calls{}, device.Launch{Unroll: 2}, three, 100, cannot, ""},
		{"h200", "threadprivate", calls{}, device.Launch{Threads: 1024}, three, 100, cannot, "409600"},
		{"h200", "naive", calls{}, device.Launch{Unroll: 3}, three, 100, device.ErrLaunch, "3"},
		{"h200", "naive", calls{}, device.Launch{Blocks: MaxBlocks + 1}, three, 100, ErrStream, ""},
	} {
		cfg := Config{Implementation: parsed(t, c.implementation), Call: c.call, Launch: c.launch}
		if c.device != "" {
			cfg.Device = profile(t, c.device)
		}
		coarse := cfg
		coarse.Coarse = true
		_, run := Run(cfg, c.indices, c.bins)
		_, estimate := Estimate(cfg, c.indices, c.bins)
		_, part := Estimate(coarse, c.indices, c.bins)
		for _, err := range []error{run, estimate, part} {
			if !errors.Is(err, c.is) || err != nil && !strings.Contains(err.Error(), c.names) {
				t.Errorf("%+v: error %v", c, err)
			}
		}
	}
	_, err := Run(Config{Device: profile(t, "h200"), Implementation: impl.Spec{Algorithm: 9}}, one, 1)
	if !errors.Is(err, ErrStream) {
		t.Errorf("no such implementation: %v", err)
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
			v := parsed(t, name)
			r, err := Run(Config{Device: d, Implementation: v, Call: device.Call{Type: device.F32}},
				[]uint32{0, 0, 1, 2, 2}, 3)
			if err == nil && !r.Correct {
				t.Fatalf("%s: wrong final array", name)
			}
		}
	})
}
