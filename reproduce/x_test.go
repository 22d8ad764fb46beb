package reproduce

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/atomtune/atomtune/variant"
)

func TestX(t *testing.T) {
	o, _ := Options{Patterns: 20000, Seed: 1}.complete()
	set := func(w int) []setting {
		var all []setting
		for _, r := range factors(mostCopies(w)) {
			for _, m := range []variant.Mapping{0, 1} {
				for pad := range 2 {
					if r == 1 && (m > 0 || pad > 0) {
						continue
					}
					l := layout{w, r, pad, m}
					if l.fits() {
						all = append(all, setting{l, false}, setting{l, true})
					}
				}
			}
		}
		return all
	}
	st := time.Now()
	m, err := o.survey(context.Background(), 10, set)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(time.Since(st))
	for _, w := range voteSpaces {
		for _, r := range factors(mostCopies(w)) {
			for _, mp := range []variant.Mapping{0, 1} {
				fmt.Printf("%4d R=%2d %s:", w, r, mappingNames[mp])
				for _, so := range []bool{false, true} {
					for pad := range 2 {
						c, ok := m[setting{layout{w, r, pad, mp}, so}]
						if ok {
							n := c.neighbours
							fmt.Printf(" | sort=%v pad=%d %.1f L%.2f B%.2f locked %.3f nb %.2f %.2f %.2f %.2f", so, pad, c.cycles, c.lockDegree, c.bankDegree, c.locked, n.pairs, n.onWord, n.onLock, n.onBank)
						}
					}
				}
				fmt.Println()
			}
		}
	}
}
