package reproduce

import (
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
)

func TestThroughput(t *testing.T) {
	d, _ := device.Builtin("gtx580")
	s, _ := hwsim.NewScratchpad(d, device.OpAdd, device.U32)
	run := func(W int, f func(w, l int) int32) float64 {
		var ps [][]int32
		for w := range W {
			p := make([]int32, 32)
			for l := range p {
				p[l] = f(w, l)
			}
			ps = append(ps, p)
		}
		r, err := s.Warps(ps, 64)
		if err != nil {
			t.Fatal(err)
		}
		return float64(W*64*32) / r.Cycles
	}
	for _, W := range []int{1, 2, 4, 8, 16, 24, 32} {
		fmt.Print("intra W=", W, " ")
		for n := 1; n <= 32; n *= 2 {
			fmt.Printf("n=%d %.4f ", n, run(W, func(w, l int) int32 {
				if l < n {
					return int32(32 * w)
				}
				return int32(32*w + l)
			}))
		}
		fmt.Println()
		fmt.Print("inter lanes W=", W, " ")
		for _, c := range []int{0, 1, 2, 4, 8, 16, 32} {
			fmt.Printf("c=%d %.4f ", c, run(W, func(w, l int) int32 {
				if l < c {
					return int32(l)
				}
				return int32(32*w + l)
			}))
		}
		fmt.Println()
		fmt.Print("inter warps W=", W, " ")
		for _, k := range []int{1, 2, 4, 8, 16, 32} {
			if k > W {
				continue
			}
			fmt.Printf("k=%d %.4f ", k, run(W, func(w, l int) int32 {
				if w < k && l < 8 {
					return int32(l)
				}
				return int32(32*w + l)
			}))
		}
		fmt.Println()
		fmt.Print("inter groups of k warps W=", W, " ")
		for _, k := range []int{1, 2, 4, 8, 16, 32} {
			if k > W {
				continue
			}
			fmt.Printf("k=%d %.4f ", k, run(W, func(w, l int) int32 {
				if l < 8 {
					return int32(w/k*32 + l)
				}
				return int32(32*w + l)
			}))
		}
		fmt.Println()
	}
}
