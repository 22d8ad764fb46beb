package speedup_test

import (
	"strings"
	"testing"

	"github.com/atomtune/atomtune/speedup"
)

// TestGuide asks the tree about kernels that are not in its table, and holds
// its advice against the simulation where the choice matters by a quarter.
func TestGuide(t *testing.T) {
	form, err := speedup.NewPipelined(hd5870(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, share := range []float64{0, 0.5} {
		table := form.Guidelines(share)
		guide, err := speedup.NewGuide(table)
		if err != nil {
			t.Fatal(err)
		}
		asked, right := 0, 0
		for _, ratio := range []float64{0.4, 1.5, 6} {
			for _, accesses := range []float64{4, 20, 50} {
				for _, groups := range []int{3, 12, 28, 56, 112} {
					row := speedup.Guideline{ALUFetch: ratio, CompleteAccesses: accesses, Workgroups: float64(groups)}
					soft, sys := measured(t, working(groups, form.GuideKernel(ratio, accesses, share)))
					if sys/soft < 1.25 && soft/sys < 1.25 {
						continue
					}
					asked++
					if (guide.Speedup(row) > 1) == (sys > soft) {
						right++
					}
				}
			}
		}
		t.Logf("share %v: right for %d of %d kernels", share, right, asked)
		if asked < 30 || float64(right) < 0.9*float64(asked) {
			t.Errorf("share %v: right for %d of %d kernels\n%s", share, right, asked, guide)
		}
		if why := guide.Why(table[0]); !strings.Contains(why, "workgroups") {
			t.Errorf("the reason %q names no number of workgroups", why)
		}
	}
}

// TestGuideFollowsThePaper: the less arithmetic, the more accesses and the more
// workgroups, the better, [elteir11] section VI-D.
func TestGuideFollowsThePaper(t *testing.T) {
	form, err := speedup.NewPipelined(hd5870(t))
	if err != nil {
		t.Fatal(err)
	}
	at := func(ratio, accesses, groups float64) float64 {
		c := speedup.Concurrency{Lanes: 64, Workgroups: groups}
		return form.KernelSpeedup(c, 1, form.GuideKernel(ratio, accesses, 0.5))
	}
	for _, c := range []struct {
		name          string
		better, worse float64
	}{
		{"less arithmetic", at(0.5, 28, 64), at(8, 28, 64)},
		{"more accesses", at(1, 37, 64), at(1, 3, 64)},
		{"more workgroups", at(1, 28, 128), at(1, 28, 8)},
	} {
		if c.better <= c.worse {
			t.Errorf("%s: %v times as fast, otherwise %v", c.name, c.better, c.worse)
		}
	}
}
