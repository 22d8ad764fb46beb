package hwsim

import (
	"testing"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/must"
)

// TestIndexBytes: implementations of all kinds make right sums of indices of each size, and on a device of slow
// memory larger indices take longer, in proportion to their size where little else is read.
func TestIndexBytes(t *testing.T) {
	slow := *must.Get(device.Load("h200"))(t)
	slow.Memory.L2Rate.Value /= 300
	slow.Memory.DRAMRate.Value /= 300
	spec := must.Get(synth.Parse("image:n=100000,k=200,seed=3"))(t)
	indices := must.Get(synth.Generate(spec))(t)
	for _, name := range []string{"naive", "match", "private:r=2,pad=1", "private:ranges=2", "hot:s=64,r=4,sample=1024",
		"partition:w=64", "sort"} {
		var last float64
		for _, bytes := range []int{1, 2, 4, 8} {
			c := Config{Device: &slow, Call: device.Call{Operand: device.One, IndexBytes: bytes},
				Implementation: must.Get(impl.Parse(name))(t)}
			r, err := Run(c, indices, 200)
			if err != nil || !r.Correct {
				t.Fatalf("%s with indices of %d bytes: correct is %t, %v", name, bytes, r.Correct, err)
			}
			if r.US <= last || bytes == 8 && name == "private:r=2,pad=1" && r.US < 1.6*last {
				t.Errorf("%s takes %v us with indices of %d bytes, and %v with half of them", name, r.US, bytes, last)
			}
			last = r.US
		}
	}
}
