package gpu_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/atomtune/atomtune/bindings/gpu"
	"github.com/atomtune/atomtune/bindings/gpu/libcuda"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/internal/standin"
)

// realVariable is set where the tests named TestGPU run on the GPU of this machine, on longer
// streams, in place of the stand-in for its driver.
const realVariable = "ATOMTUNE_GPU"

var real = os.Getenv(realVariable) != ""

func TestMain(m *testing.M) {
	if real {
		os.Exit(m.Run())
	}
	os.Exit(standin.Run(m, libcuda.LibraryVariable, libcuda.ManagementVariable))
}

// open returns a device, closed after the test.
func open(t testing.TB) *gpu.Device {
	t.Helper()
	d := must.Get(gpu.Open(0))(t)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// onStandin leaves a test of what only the stand-in shows out on a real GPU.
func onStandin(t *testing.T) {
	t.Helper()
	if real {
		t.Skip("a test of the stand-in")
	}
}

// kinds are streams of indices, without their lengths.
var kinds = []string{"uniform:k=1", "uniform:k=7", "uniform:k=256", "zipf:k=4096,s=1.2",
	"sorted:k=1000", "runs:k=300,len=9", "hotspot:k=5000,h=3,p=0.7", "uniform:k=60000"}

// stream is what a call works on.
type stream struct {
	name  string
	index []uint32
	bins  int
}

// streams returns a stream of each kind, long ones on a real GPU. Not all are of whole warps.
func streams(t testing.TB) (all []stream) {
	t.Helper()
	updates := 2000
	if real {
		updates = 1 << 19
	}
	for i, kind := range kinds {
		spec := must.Get(synth.Parse(fmt.Sprintf("%s,n=%d,seed=7", kind, updates+i)))(t)
		index := must.Get(synth.Generate(spec))(t)
		all = append(all, stream{spec.String(), index, int(spec.K)})
	}
	return all
}

// wholes are values from 1 to 3, whose sums do not round.
func wholes[T gpu.Number](r *rand.Rand, n int) []T {
	values := make([]T, n)
	for i := range values {
		values[i] = T(1 + r.IntN(3))
	}
	return values
}

// serial is what a loop over the updates makes of the targets.
func serial[T gpu.Number](out []T, index []uint32, values []T) []T {
	sums := append([]T(nil), out...)
	for u, i := range index {
		sums[i] += values[u]
	}
	return sums
}
