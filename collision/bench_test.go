package collision

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkAnalyze analyzes with all vector instructions that the processor has. sum-ratio is the
// share of the rate at which as many goroutines add up the indices, in turn with the analysis.
func BenchmarkAnalyze(b *testing.B) {
	const n = 1 << 24
	for _, vectors := range Vectors() {
		for dist := range streams {
			for _, bits := range []uint{8, 12, 16, 20, 24, 32} {
				b.Run(fmt.Sprintf("vectors=%s/k=%d/dist=%s", vectors, uint64(1)<<bits, streams[dist].name),
					func(b *testing.B) {
						keys := draw(dist, 1, n, 1<<bits)
						b.SetBytes(4 * n)
						var sums time.Duration
						for b.Loop() {
							if _, err := Analyze(keys, Options{Vectors: vectors}); err != nil {
								b.Fatal(err)
							}
							b.StopTimer()
							begin := time.Now()
							sumOf(keys)
							sums += time.Since(begin)
							b.StartTimer()
						}
						seconds := b.Elapsed().Seconds()
						b.ReportMetric(n*float64(b.N)/seconds, "indices/s")
						b.ReportMetric(sums.Seconds()/seconds, "sum-ratio")
					})
			}
		}
	}
}

// sumOf adds up keys with as many goroutines as an analysis has.
func sumOf(keys []uint32) uint64 {
	workers := make([]*worker, Options{}.normal().Workers)
	parts := make([]uint64, len(workers))
	parallel(workers, len(parts), func(_ *worker, i int) {
		var a, b, c, d uint64
		part := keys[i*len(keys)/len(parts) : (i+1)*len(keys)/len(parts)]
		for ; len(part) >= 4; part = part[4:] {
			a, b, c, d = a+uint64(part[0]), b+uint64(part[1]), c+uint64(part[2]), d+uint64(part[3])
		}
		for _, key := range part {
			a += uint64(key)
		}
		parts[i] = a + b + c + d
	})
	var sum uint64
	for _, part := range parts {
		sum += part
	}
	return sum
}
