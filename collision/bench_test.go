package collision

import (
	"fmt"
	"testing"
)

func BenchmarkAnalyze(b *testing.B) {
	const n = 1 << 24
	for dist := range streams {
		for _, bits := range []uint{8, 12, 16, 20, 24, 32} {
			b.Run(fmt.Sprintf("k=%d/dist=%s", uint64(1)<<bits, streams[dist].name),
				func(b *testing.B) {
					keys := draw(dist, 1, n, 1<<bits)
					b.SetBytes(4 * n)
					for b.Loop() {
						if _, err := Analyze(keys, Options{}); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "indices/s")
				})
		}
	}
}

func BenchmarkAnalyzeShort(b *testing.B) {
	for _, bits := range []uint{10, 13, 16, 18} {
		for _, k := range []uint64{256, 1 << 16, 1 << 22} {
			for _, dist := range []int{0, 2, 3} {
				b.Run(fmt.Sprintf("n=%d/k=%d/dist=%s", 1<<bits, k, streams[dist].name),
					func(b *testing.B) {
						keys := draw(dist, 1, 1<<bits, k)
						b.SetBytes(4 << bits)
						b.ReportAllocs()
						for b.Loop() {
							if _, err := Analyze(keys, Options{}); err != nil {
								b.Fatal(err)
							}
						}
					})
			}
		}
	}
}

func BenchmarkAnalyzeSample(b *testing.B) {
	const n = 1 << 24
	keys := draw(0, 1, n, 1<<20)
	for _, sample := range []int{256, 4096} {
		b.Run(fmt.Sprintf("sample=%d", sample), func(b *testing.B) {
			b.SetBytes(4 * n)
			for b.Loop() {
				if _, err := Analyze(keys, Options{Sample: sample}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "indices/s")
		})
	}
}
