package tuner_test

import (
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/variant"
)

// TestCheckKept: a choice from before serves a call unless the device or an option is against it.
func TestCheckKept(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	f32 := device.Call{Type: device.F32}
	launch := device.Launch{Blocks: 132, Threads: 1024, Unroll: 4}
	for _, c := range []struct {
		name   string
		launch device.Launch
		o      tuner.Options
		says   string // "": it may
	}{
		{"private:r=4,pad=1", launch, tuner.Options{Call: f32}, ""},
		{"hot:s=1024,r=8,sample=2048", device.Launch{}, tuner.Options{Call: f32}, ""},
		{"sort", device.Launch{}, tuner.Options{Call: f32, MemoryBytes: 1 << 40}, ""},
		{"private:r=4,pad=1", launch, tuner.Options{Call: f32, Launch: launch}, ""},
		{"private:r=4,pad=1", launch, tuner.Options{Call: f32,
			Launch: device.Launch{Threads: 256}}, "launched as 132x1024x4"},
		{"private:r=4,pad=1", launch, tuner.Options{Call: f32, Deterministic: true}, "no fixed order"},
		{"naive", launch, tuner.Options{Exclude: []variant.Variant{{}}}, "excluded"},
		{"match", launch, tuner.Options{Only: []variant.Variant{{}}}, "not among"},
		{"sort", device.Launch{}, tuner.Options{NoSort: true}, "re-orders"},
		{"sort", device.Launch{}, tuner.Options{MemoryBytes: 1}, "none allowed"},
		{"sort", device.Launch{}, tuner.Options{MemoryBytes: 1e6}, "1 MB allowed"},
		{"sort", launch, tuner.Options{}, "several kernels"},
		{"sort", device.Launch{}, tuner.Options{Call: device.Call{Returns: true}}, "adds sums"},
		{"segreduce", device.Launch{}, tuner.Options{}, "grouped"},
		{"coordinator", device.Launch{}, tuner.Options{}, "h200"},
		{"naive", device.Launch{Blocks: 1, Threads: 2048}, tuner.Options{}, "at most 1024 threads"},
		{"naive", launch, tuner.Options{Call: device.Call{Type: 9}}, "type 9"},
	} {
		v, err := variant.Parse(c.name)
		if err != nil {
			t.Fatal(err)
		}
		err = tuner.CheckKept(v, c.launch, d, c.o, 1e6, 4096)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %v: %v, want %q", c.name, c.launch, err, c.says)
		}
	}
}
