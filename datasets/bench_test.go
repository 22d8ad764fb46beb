package datasets

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// BenchmarkRead reads a million updates in the formats of text, in each order.
func BenchmarkRead(b *testing.B) {
	const updates = 1 << 20
	random := rand.New(rand.NewPCG(1, 2))
	for format, line := range map[string]string{"text": "%d\n", "csv": "%d,3\n", "edges": "%d %[1]d\n"} {
		var content strings.Builder
		for range updates {
			fmt.Fprintf(&content, line, random.Uint32N(1_000_000))
		}
		for _, order := range []string{OrderFile, OrderRow, OrderCol} {
			opt := Options{Format: format, Order: order}
			if format == "csv" {
				opt.Column = "0"
			} else if format == "text" && order != OrderFile {
				continue
			}
			b.Run(fmt.Sprintf("format=%s/order=%s", format, order), func(b *testing.B) {
				b.SetBytes(int64(content.Len()))
				for b.Loop() {
					opt.Stdin = io.MultiReader(strings.NewReader(content.String()))
					if got, _, err := ReadAll("-", opt); err != nil || len(got) != updates {
						b.Fatal(len(got), err)
					}
				}
			})
		}
	}
}
