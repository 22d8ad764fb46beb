package price

import (
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/rows"
)

// TestPrices: every part of the price of every form is what testdata/prices.txt holds, on each device,
// for calls and streams of all kinds.
func TestPrices(t *testing.T) {
	var lines []string
	for at, name := range device.Names() {
		d := profile(t, name)
		for k, kind := range rows.Kinds() {
			for i, width := range []uint64{1, 3, 32, 127, 1024} {
				c := rows.Call{Kind: kind, Width: width, Keeps: (at+k+i)%2 == 0}
				if rows.Check(d, c) != nil {
					continue
				}
				var sum golden.Digest
				for n := 1; n <= 1<<17; n = 7*n + 2 {
					s := stats(t, n, 1<<(3*i+k), float64(i)/6)
					list, err := Rank(d, s, c)
					if err != nil {
						t.Fatal(err)
					}
					sum.JSON(t, []any{list, FloorOf(d, s, c)})
					for _, f := range rows.Forms() {
						if p, err := Of(d, s, c, f, 1<<(2*i)); err == nil {
							low, high := Interval(f, p.US)
							sum.JSON(t, []any{p, low, high})
						}
					}
				}
				lines = append(lines, fmt.Sprintf("%s %+v: %s", name, c, &sum))
			}
		}
	}
	golden.Compare(t, "testdata/prices.txt", lines)
}
