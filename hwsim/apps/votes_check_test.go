package apps

import (
	"errors"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
)

func TestVotesErrors(t *testing.T) {
	good := Votes{Device: appProfile(t, "gtx580"), Blocks: 16, Threads: 1024, Size: 128,
		Spaces: kMeans(2), Replicas: 32}
	if err := good.Validate(); err != nil {
		t.Fatalf("32 copies of 128 clusters and 2 components fit, section 4.1.1: %v", err)
	}
	for _, c := range []struct {
		names  string
		change func(v *Votes)
		is     error
	}{
		{"device", func(v *Votes) { v.Device = nil }, hwsim.ErrStream},
		{"0", func(v *Votes) { v.Blocks = 0 }, hwsim.ErrStream},
		{"65536", func(v *Votes) { v.Blocks = 65536 }, hwsim.ErrStream},
		{"-1", func(v *Votes) { v.Threads = -1 }, hwsim.ErrStream},
		{"0", func(v *Votes) { v.Size = 0 }, hwsim.ErrStream},
		{"16", func(v *Votes) { v.Threads = 16 }, hwsim.ErrStream},
		{"-1", func(v *Votes) { v.Pad = -1 }, hwsim.ErrStream},
		{"2", func(v *Votes) { v.Map = 2 }, hwsim.ErrStream},
		{"", func(v *Votes) { v.Spaces = nil }, hwsim.ErrStream},
		{"f32", func(v *Votes) { v.Spaces = []device.Type{device.F32} }, hwsim.ErrStream},
		{"9", func(v *Votes) { v.Spaces = []device.Type{device.U32, 9} }, hwsim.ErrStream},
		{"4", func(v *Votes) { v.Spaces = []device.Type{device.U32, device.F64} }, hwsim.ErrStream},
		{"i32", func(v *Votes) { v.Spaces = append(kMeans(1), device.I32) }, hwsim.ErrStream},
		{"2048", func(v *Votes) { v.Threads = 2048 }, device.ErrCannot},
		{"49536", func(v *Votes) { v.Pad = 1 }, device.ErrCannot},
		{"268435456", func(v *Votes) { v.Size = hwsim.MaxBins }, device.ErrCannot},
	} {
		v := good
		c.change(&v)
		if _, err := v.Run([]uint32{0}); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%+v: error %v, want one of %v with %q", v, err, c.is, c.names)
		}
	}
	for _, indices := range [][]uint32{nil, {127, 128}} {
		if _, err := good.Run(indices); !errors.Is(err, hwsim.ErrStream) {
			t.Errorf("%v: error %v", indices, err)
		}
	}
}

func TestVotesResident(t *testing.T) {
	for _, c := range []struct {
		name          string
		threads, size int
		want          int
	}{
		{"32 of 48 warps", 1024, 256, 1},
		{"48 warps", 256, 256, 6},
		{"8 blocks", 33, 256, 8},
		{"half of the shared memory", 64, 6144, 2},
		{"more than half", 64, 6145, 1},
	} {
		v := Votes{Device: appProfile(t, "gtx580"), Threads: c.threads, Size: c.size, Spaces: kMeans(0)}
		if got, err := v.blocksPerSM(); got != c.want || err != nil {
			t.Errorf("%s: %d blocks per SM, want %d", c.name, got, c.want)
		}
	}
}
