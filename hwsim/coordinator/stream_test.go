package coordinator

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
)

// TestStream runs index streams with several addresses in a wavefront, more
// workgroups than fit, and a last wavefront that is not full.
func TestStream(t *testing.T) {
	for _, c := range []struct {
		n, bins, groups int
		regime          Regime
	}{
		{5000, 1, 200, Paths{}}, {5000, 64, 200, Paths{}}, {3001, 3, 7, Late{Seed: 5}},
		{64, 64, 1, Late{Seed: 6}},
	} {
		rng := rand.New(rand.NewPCG(uint64(c.n), 4))
		indices, values, want := make([]uint32, c.n), make([]uint32, c.n), make([]uint32, c.bins)
		for i := range indices {
			indices[i], values[i] = rng.Uint32N(uint32(c.bins)), rng.Uint32()
			want[indices[i]] += values[i]
		}
		k, err := Stream(indices, values, c.bins, c.groups, 64)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(k, Options{Device: builtin(t), Regime: c.regime, Persistent: true})
		if err == nil {
			_, err = Check(k.Variables, &r)
		}
		if err != nil || !slices.Equal(r.Final, want) || len(r.History) != c.n {
			t.Errorf("%d updates of %d: %v, final values equal %v", c.n, c.bins, err,
				slices.Equal(r.Final, want))
		}
	}
}

func TestBadStream(t *testing.T) {
	for want, make := range map[string]func() (*Kernel, error){
		"update 1: index 4 is not below 4": func() (*Kernel, error) {
			return Stream([]uint32{0, 4}, nil, 4, 1, 64)
		},
		"1 values for 2": func() (*Kernel, error) {
			return Stream([]uint32{0, 0}, []uint32{1}, 1, 1, 64)
		},
		"0 workgroups": func() (*Kernel, error) { return Stream(nil, nil, 1, 0, 64) },
	} {
		if _, err := make(); !errors.Is(err, ErrKernel) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// A histogram of 1,000 updates on eight variables: the values are exact and the
// returned ones those of some serial order.
func ExampleStream() {
	d, err := device.Builtin("hd5870")
	if err != nil {
		fmt.Println(err)
		return
	}
	indices := make([]uint32, 1000)
	for i := range indices {
		indices[i] = uint32(i * i % 8)
	}
	k, err := Stream(indices, nil, 8, 16, 64)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := Run(k, Options{Device: d, Regime: Late{Seed: 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := Check(k.Variables, &r)
	fmt.Println(r.Final, v.Operations, err)
	// Output: [250 500 0 0 250 0 0 0] 1000 <nil>
}
