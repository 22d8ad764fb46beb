package kernels

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/validate/recorded"
)

// kernelSeed draws the values of every simulated call.
const kernelSeed = 1

// referenceCalls are small calls whose simulated times tell one state of the
// simulator from another: each kernel, each path of memory, each type, and a
// stream so long that it is sampled.
var referenceCalls = []struct {
	stream, implementation string
	call                   device.Call
}{
	{"uniform:n=16384,k=64,seed=1", "naive", device.Call{Type: device.U32}},
	{"uniform:n=16384,k=4194304,seed=1", "naive", device.Call{Type: device.F64}},
	{"uniform:n=16384,k=256,seed=1", "naive", device.Call{Type: device.F32, Returns: true}},
	{"zipf:n=16384,k=4096,seed=1", "naive", device.Call{Type: device.U32, Operand: device.One}},
	{"uniform:n=786432,k=65536,seed=1", "naive", device.Call{Type: device.U32}},
	{"zipf:n=16384,k=256,seed=1", "sr", device.Call{Type: device.F32}},
	{"zipf:n=16384,k=256,seed=1", "vr", device.Call{Type: device.U32}},
	{"zipf:n=16384,k=256,seed=1", "ss", device.Call{Type: device.F32}},
	{"zipf:n=16384,k=256,seed=1", "sr+ss", device.Call{Type: device.U32}},
	{"zipf:n=16384,k=256,seed=1", "peers", device.Call{Type: device.F64}},
	{"zipf:n=16384,k=256,seed=1", "match", device.Call{Type: device.U32}},
	{"uniform:n=16384,k=256,seed=1", "private", device.Call{Type: device.U32, Operand: device.One}},
	{"uniform:n=16384,k=64,seed=1", "private:r=8,pad=1", device.Call{Type: device.F32}},
	{"zipf:n=16384,k=256,seed=1", "private+match", device.Call{Type: device.F64}},
	{"uniform:n=16384,k=4096,seed=1", "sort", device.Call{Type: device.F32}},
	{"sorted:n=16384,k=1024,seed=1", "segreduce", device.Call{Type: device.F64}},
	{"uniform:n=16384,k=16,seed=1", "threadprivate", device.Call{Type: device.U32}},
	{"uniform:n=1048576,k=16,seed=1", "sort", device.Call{Type: device.U32}},
	{"uniform:n=16384,k=12000000,seed=1", "naive", device.Call{Type: device.F32}},
	{"zipf:n=16384,k=4096,seed=1", "match", device.Call{Type: device.F32, Returns: true}},
	{"zipf:n=16384,k=4096,seed=1", "hot:s=256,r=4", device.Call{Type: device.F32}},
	{"zipf:n=16384,k=4096,seed=1", "hot:s=256+sr", device.Call{Type: device.F64}},
	{"zipf:n=16384,k=4096,seed=1", "hot:s=1024,r=2,sample=2048", device.Call{Type: device.U32}},
	{"uniform:n=16384,k=65536,seed=1", "private:r=1,ranges=4", device.Call{Type: device.U32}},
	{"uniform:n=786432,k=65536,seed=1", "private:r=1,ranges=2", device.Call{Type: device.U32}},
	{"uniform:n=16384,k=262144,seed=1", "partition:w=16384", device.Call{Type: device.F32}},
}

// behaviour is what the simulator makes of the reference calls.
type behaviour struct {
	hash string // SHA-256 of their times
	runs int
	lost int // calls that did not apply every update once
}

// h200Behaviour is that of the built-in profile.
var h200Behaviour = sync.OnceValues(func() (b behaviour, err error) {
	gpu, err := device.Builtin("h200")
	if err != nil {
		return b, err
	}
	sum := sha256.New()
	for _, c := range referenceCalls {
		v, err := impl.Parse(c.implementation)
		if err != nil {
			return b, err
		}
		indices, err := generated(c.stream)
		if err != nil {
			return b, err
		}
		key := recorded.CallKey{Label: c.stream, Call: c.call, Implementation: v}
		us, applied, err := simulateCall(gpu, key, indices, uint64(slices.Max(indices))+1)
		if err != nil {
			return b, err
		}
		fmt.Fprintln(sum, exactUS(us))
		b.runs++
		if !applied {
			b.lost++
		}
	}
	b.hash = hex.EncodeToString(sum.Sum(nil))
	return b, nil
})

// wholeUpdates is the length up to which a call is simulated by hwsim.Run, which
// says what it counted.
const wholeUpdates = 1 << 18

// simulateCall returns the simulated time of a call, and whether every update
// that was issued was completed and applied once. Of longer streams hwsim.Estimate
// checks the same, and reports an error where it does not hold.
func simulateCall(
	gpu *device.Profile, k recorded.CallKey, indices []uint32, bins uint64,
) (us float64, applied bool, err error) {
	cfg := hwsim.Config{
		Device: gpu, Call: k.Call, Implementation: k.Implementation, Seed: kernelSeed, Relaid: true,
	}
	if len(indices) > wholeUpdates {
		us, err = hwsim.Estimate(cfg, indices, bins)
		applied = err == nil
	} else {
		var r hwsim.Result
		r, err = hwsim.Run(cfg, indices, bins)
		us, applied = r.US, r.Correct && r.Updates == uint64(len(indices)) && r.Issued == r.Completed
	}
	if err == nil && !(us > 0) {
		err = fmt.Errorf("the time is %v us", us)
	}
	if err != nil {
		return 0, false, fmt.Errorf("%s: %w", k, err)
	}
	return us, applied, nil
}
