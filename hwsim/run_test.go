package hwsim

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

func profile(t testing.TB, name string) *device.Profile {
	t.Helper()
	p, err := device.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// small is a device with so many multiprocessors.
func small(t *testing.T, name string, sms float64) *device.Profile {
	t.Helper()
	p := *profile(t, name)
	p.Core.SMs.Value = sms
	return &p
}

func parsed(t testing.TB, name string) impl.Spec {
	t.Helper()
	v, err := impl.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// ran runs a call, which must be right.
func ran(t *testing.T, cfg Config, indices []uint32, bins uint64) Result {
	t.Helper()
	r, err := Run(cfg, indices, bins)
	if err != nil || !r.Correct {
		t.Fatalf("%s on %s: correct %v, %v", cfg.Implementation, cfg.Device.Name, r.Correct, err)
	}
	return r
}

// drawnStream returns n indices below bins, every other one the same where hot.
func drawnStream(n, bins int, hot bool) []uint32 {
	rng := rand.New(rand.NewPCG(5, uint64(bins)))
	indices := make([]uint32, n)
	for i := range indices {
		if indices[i] = uint32(rng.IntN(bins)); hot && i%2 == 0 {
			indices[i] = 7
		}
	}
	return indices
}

// stream draws one of several kinds of streams.
func stream(rng *rand.Rand) (indices []uint32, bins uint64) {
	n := 1 + rng.IntN(400)
	if rng.IntN(8) == 0 {
		n = 1 + rng.IntN(6000)
	}
	bins = 1 + uint64(rng.IntN(1<<uint(rng.IntN(12))))
	indices = make([]uint32, n)
	kind := rng.IntN(5)
	for i := range indices {
		indices[i] = uint32(rng.Uint64N(bins))
		switch {
		case kind == 1 && i > 0 && rng.IntN(6) > 0:
			indices[i] = indices[i-1]
		case kind == 2 && rng.IntN(4) > 0:
			indices[i] = uint32(bins / 2)
		case kind == 3:
			indices[i] = uint32(uint64(i) % bins)
		}
	}
	if kind == 4 {
		slices.Sort(indices)
	}
	return indices, bins
}

// suite lists every implementation with a simulated kernel, and parameters
// beyond those of the candidates.
func suite(t testing.TB) []impl.Spec {
	list := slices.DeleteFunc(impl.Candidates(), func(v impl.Spec) bool {
		return v.Algorithm == impl.Coordinator
	})
	for _, name := range []string{
		"private:r=4,pad=1,map=block", "private:r=3,pad=2", "private+peers", "private:r=2,pad=1+sr",
		"private:r=5+match",
		"vr:t=2", "vr:t=8", "vr:m=4,t=3", "private+vr:m=2,t=5", "vr:m=32,t=2", "sr:t=4", "sr:t=40",
		"sr:t=3+ss",
		"hot:s=16", "hot:s=64,r=4", "hot:s=256,r=3+match", "hot:s=32,r=2+sr", "hot:s=16+vr:m=2,t=5",
		"hot:s=1024+peers", "hot:s=64,r=2,sample=1024", "hot:s=2048,sample=1024+match",
		"private:r=1,ranges=2", "private:r=3,pad=1,ranges=5", "private:r=2,map=block,ranges=64",
		"private:r=1,ranges=3+match", "private:r=1,ranges=2+sr", "private:r=2,ranges=4+vr:m=2,t=5",
		"private:r=1,ranges=7+peers",
		"partition:w=64", "partition:w=128,r=3", "partition:w=4096",
		"sr:scope=block", "sr:t=3,scope=block", "peers:masks=hash",
	} {
		list = append(list, parsed(t, name))
	}
	return list
}
