package synth

import "testing"

// TestQuickRanks: quickly leads to the ranks to which inverse leads, without doubt in most draws.
func TestQuickRanks(t *testing.T) {
	for _, s := range []float64{0, 0.2, 0.8, 0.999999, 1, 1.000001, 1.5, 3, 8} {
		for _, k := range []uint32{1, 2, 50, 4096, 1 << 24, 1<<32 - 1} {
			z, r := newZipf(s, k), NewRand(uint64(k))
			const draws = 4000
			decided := 0
			for range draws {
				y := z.bottom + float64(r.Float64()*(z.top-z.bottom))
				n, sure := z.quickly(y)
				if !sure {
					continue
				}
				decided++
				if exact, accepted := z.exactly(y); n != exact || !accepted {
					t.Fatalf("s=%v, k=%d: %v leads to %d, want %d, accepted: %v", s, k, y, n, exact, accepted)
				}
			}
			if decided < draws*3/5 {
				t.Errorf("s=%v, k=%d: %d of %d draws are without doubt", s, k, decided, draws)
			}
		}
	}
}

// TestQuickRanksDoubt: a draw that leads between two ranks is in doubt.
func TestQuickRanksDoubt(t *testing.T) {
	for _, s := range []float64{0.2, 0.8, 1, 1.5, 3} {
		z := newZipf(s, 1000)
		for n := 1.0; n < 50; n++ {
			if _, sure := z.quickly(z.integral(n + 0.5)); sure {
				t.Errorf("s=%v: no doubt between ranks %v and %v", s, n, n+1)
			}
		}
	}
}
