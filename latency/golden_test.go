package latency_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/latency"
)

// TestPredictions: what a warp's pattern costs, term by term, and the layout of copies that is picked
// are what testdata/predictions.txt holds, for each operation and type of each device.
func TestPredictions(t *testing.T) {
	var lines []string
	known := map[latency.Params]string{}
	for _, name := range golden.Devices {
		d, err := device.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range device.Operations() {
			for _, typ := range device.Types() {
				p, err := latency.ForDevice(d, o, typ)
				if err != nil {
					continue
				}
				if known[p] == "" {
					known[p] = predictions(t, p).String()
				}
				lines = append(lines, fmt.Sprintf("%s %s %s: %s", name, o, typ, known[p]))
			}
		}
	}
	golden.Compare(t, "testdata/predictions.txt", lines)
}

var number = regexp.MustCompile(`[0-9.]*[0-9]`)

func predictions(t *testing.T, p latency.Params) *golden.Digest {
	t.Helper()
	var sum golden.Digest
	sum.JSON(t, p)
	rng := rand.New(rand.NewPCG(22, 0))
	var patterns [][]int32
	for i := range 40 {
		pattern := make([]int32, p.Lanes)
		latency.DrawPattern(rng, pattern, 1<<(i%11), p.Lanes-i%3*i/3%p.Lanes)
		if i%4 == 0 { // a stride
			for lane := range pattern {
				pattern[lane] = int32(lane * (i/4 + 1))
			}
		}
		prediction, err := latency.Warp(pattern, p)
		if err != nil {
			t.Fatal(err)
		}
		sum.JSON(t, prediction)
		patterns = append(patterns, pattern)
	}
	for _, o := range []latency.OptimizeOptions{
		{Words: 16, Threads: 128, SharedWords: 4096, Samples: 64, Seed: 1},
		{Words: 100, Threads: 64, SharedWords: 1000, Samples: 32, Seed: 2, Sorted: true, Worth: 0.05},
		{Words: 1024, Threads: 64, SharedWords: 8192, Replicas: []int{1, 3, 8}, Pads: []int{0, 1}, Patterns: patterns},
	} {
		best, err := p.Optimize(o)
		if err != nil {
			sum.Text(fmt.Sprint(errors.Is(err, latency.ErrParams)))
			continue
		}
		sum.Text(strings.Join(number.FindAllString(best.Reason, -1), " "))
		best.Reason = ""
		sum.JSON(t, best)
	}
	for _, v := range []latency.Votes{{Words: 10, Replicas: 4, Pad: 1, Threads: 96},
		{Words: 7, Replicas: 5, Map: impl.Block, Threads: 128}} {
		out := make([]int32, p.Lanes)
		for first := 0; first < 4*p.Lanes; first += p.Lanes {
			v.Place(out, patterns[0], first)
			sum.Text(fmt.Sprint(out, v.Total()))
		}
	}
	return &sum
}

// gtx580 are the parameters of [gomezluna13].
var gtx580 = latency.Params{
	Structure: latency.Structure{Mechanism: device.Lock, Lanes: 32, Banks: 32, Locks: 1024},
	Constants: latency.Constants{Base: 108, Round: 120, Bank: 32, Write: 32},
}

func ExampleParams_Optimize() {
	best, err := gtx580.Optimize(latency.OptimizeOptions{Words: 128, Threads: 1024, SharedWords: 12288, Samples: 4096, Seed: 1})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d copies, padded by %d\n", best.Best.Replicas, best.Best.Pad)
	// Output:
	// 8 copies, padded by 0
}
