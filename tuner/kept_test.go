package tuner_test

import (
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
		may    bool
	}{
		{"private:r=4,pad=1", launch, tuner.Options{Call: f32}, true},
		{"hot:s=1024,r=8,sample=2048", device.Launch{}, tuner.Options{Call: f32}, true},
		{"sort", device.Launch{}, tuner.Options{Call: f32, MemoryBytes: 1 << 40}, true},
		{"private:r=4,pad=1", launch, tuner.Options{Call: f32, Launch: launch}, true},
		{"private:r=4,pad=1", launch, tuner.Options{Call: f32, Launch: device.Launch{Threads: 256}}, false},
		{"private:r=4,pad=1", launch, tuner.Options{Call: f32, Deterministic: true}, false},
		{"naive", launch, tuner.Options{Exclude: []variant.Variant{{}}}, false},
		{"match", launch, tuner.Options{Only: []variant.Variant{{}}}, false},
		{"sort", device.Launch{}, tuner.Options{NoSort: true}, false},
		{"sort", device.Launch{}, tuner.Options{MemoryBytes: 1}, false},
		{"sort", device.Launch{}, tuner.Options{MemoryBytes: 1e6}, false},
		{"sort", launch, tuner.Options{}, false},
		{"sort", device.Launch{}, tuner.Options{Call: device.Call{Returns: true}}, false},
		{"segreduce", device.Launch{}, tuner.Options{}, false},
		{"coordinator", device.Launch{}, tuner.Options{}, false},
		{"naive", device.Launch{Blocks: 1, Threads: 2048}, tuner.Options{}, false},
		{"naive", launch, tuner.Options{Call: device.Call{Type: 9}}, false},
	} {
		v, err := variant.Parse(c.name)
		if err != nil {
			t.Fatal(err)
		}
		if err = tuner.CheckKept(v, c.launch, d, c.o, 1e6, 4096); (err == nil) != c.may {
			t.Errorf("%s %v, %+v: %v", c.name, c.launch, c.o, err)
		}
	}
}
