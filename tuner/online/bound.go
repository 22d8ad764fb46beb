package online

import (
	"math"
)

// Bound says how much time learning has cost and may cost. LostUS is the useful figure;
// ToComeUS is a worst case. With m an implementation's noise-free time at each launch and
// best any fixed implementation that the options and Cap admit,
//
//	Σ m(played) ≤ (1 + Epsilon) Σ m(best) + LostUS
//
// over the launches so far, each observed before the next is chosen, and with ToComeUS on
// the right after any number of further launches on streams like the last one. Each launch
// is charged by what was known when it was chosen. doc/results/online.md holds the assumptions and
// the proof.
type Bound struct {
	Epsilon    float64 `json:"epsilon"`
	LostUS     float64 `json:"lost_us"`
	ToComeUS   float64 `json:"to_come_us"`
	Confidence float64 `json:"confidence"` // 1-δ
}

// bound returns the bound for what a record holds, estimated for its last
// launch.
func (k *record) bound(o Options, r rules) Bound {
	least, _ := k.allowance(r)
	highest := math.Inf(1)
	for i, est := range k.est {
		if !math.IsInf(est, 1) {
			data := r.dataWidth(max(k.Arms[i].Count, r.first(len(k.Arms))), len(k.Arms), k.Sigma)
			later := max(k.width[i], min(data, mostLn)) // no half-width to come is greater
			highest = min(highest, math.Exp(est+k.width[i]+later))
		}
	}
	lost, waited := 0.0, 0.0
	for i := range k.Arms {
		if !math.IsInf(k.est[i], 1) {
			trials, prices, _ := k.still(i, least, highest, r)
			lost += trials
			waited = max(waited, prices)
		}
	}
	return Bound{Epsilon: o.Epsilon, LostUS: k.LostUS, ToComeUS: lost + r.patience*waited,
		Confidence: o.Confidence}
}

// still returns the terms of ToComeUS for one arm, and of how many blocks.
func (k *record) still(i int, least, highest float64, r rules) (trials, prices float64,
	blocks int) {
	a, first := &k.Arms[i], r.first(len(k.Arms))
	early := float64(max(0, first-a.Count))
	if !a.Warmed {
		early++
	}
	risk := math.Exp(k.est[i]+k.width[i]) - least
	trials, prices = early*risk, early*max(risk, r.margin*highest)
	threshold := math.Log1p(r.margin) / 2
	half, sigma := k.forecasts[i].half, k.Sigma
	for n := max(first, a.Count); ; blocks++ {
		next := n + 1 + n/blockShare
		w := min(r.widest(n, next-1, len(k.Arms), half, sigma), mostLn)
		if w > threshold {
			each := highest * float64(next-n)
			trials += each * (math.Exp(3*w) - math.Exp(-w))
			prices += each * math.Expm1(3*w)
		} else if r.dataWidth(n, len(k.Arms), sigma) <= threshold {
			return trials, prices, blocks
		}
		n = next
	}
}

// blockShare: a block that begins at n ends before n + 1 + n/blockShare.
const blockShare = 32

// widest is at least the half-width w(n) of each n from first to last: see doc/results/online.md.
func (r rules) widest(first, last, arms int, half, noise float64) float64 {
	data := r.dataWidth(first, arms, noise)
	n := first
	if data > half {
		n = last
	}
	lambda := weight(n, r.tau(half), noise)
	return lambda*data + (1-lambda)*half
}
