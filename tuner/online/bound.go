package online

import "math"

// Bound says how much time learning has cost and may cost. LostUS is the useful
// figure: against the best fixed implementation, the launches so far have lost no
// more than that and their share Epsilon. ToComeUS is a worst case, usually far
// above what further launches lose; it serves to see that the loss has an end.
//
// LostUS over Learnt.TotalUS is the share of the time so far. Each launch is
// charged by what was known when it was chosen: later readings, which could tell
// that less was lost, do not lessen it.
//
// # What it says
//
// Of the launches under one key so far, each observed before the next is chosen,
//
//	Σ m(played) ≤ (1 + Epsilon) Σ m(best) + LostUS
//
// and after any number of further launches on streams like the last one
//
//	Σ m(played) ≤ (1 + Epsilon) Σ m(best) + LostUS + ToComeUS
//
// where m is an implementation's noise-free time at each launch and best any
// fixed implementation that the options admit and that Cap does not leave out.
//
// # What is assumed
//
// A launch of implementation i takes p·exp(θ + noise), p its prediction for the
// launch's stream. θ depends on i alone and stays as it is, and |θ - center| ≤ h,
// with h the half-width of the forecast and the center 0. Readings of
// ln(time/p) are independent, with a noise whose robust location is as good as
// the mean of σ-sub-Gaussian readings, σ being the noise that is used: the estimate
// times √(π/2), since a median is less sharp than a mean, and on the safe side.
// ToComeUS takes σ to stay
// as it is, and warming up to take one launch: it is over when two launches in a
// row agree, and what came before is no reading.
//
// A change of θ, once it is told, begins anew with the last location as the
// center; what is lost until it is told is in neither figure.
//
// # Why it holds
//
// Let K implementations have estimates E = p·exp(location) and, after n readings,
// half-widths
//
//	w(n) = λ σ √(2 ln(2 K n (n+1) / δ) / n) + (1-λ) h,  w(0) = h + |c|,
//
// with λ the weight of the readings and c, at most h, by how much the readings of
// others have moved the estimate of one that has none. By the sub-Gaussian tail and the union over
// n and K (Σ 1/(n(n+1)) = 1), with probability 1-δ all m lie in
// [L, U] = [E exp(-w), E exp(w)], always. From here on they do. Let * be best, l the
// least L of a launch, so that l ≤ m_*, and s = 4/5 Epsilon. The incumbent b has the
// least E. Implementation i is a rival if (1+s) L_i < U_b.
//
// LostUS. A launch of i loses m_i - m_* ≤ U_i - l. Summed up is what exceeds s·l. A
// trial of one that is no rival costs at most U_i - L_b more than b; that is its
// price, and was saved from its part of Epsilon/5 of each l.
//
// ToComeUS. If i is a rival, w_i + w_b > ln(1+s), as E_b ≤ E_i. So each trial of a
// rival, which needs w_b ≤ w_i, and each launch of b with w_b above that of a rival
// has w > ln(1+s)/2. An implementation is played so at most once with each n > 0,
// and twice with n = 0, the warming up included. Each launch is one of these:
//
//   - b is played, * being no rival: m_b ≤ U_b ≤ (1+s) L_* ≤ (1+s) m_*.
//   - b is played before its first reading: m_b - m_* ≤ U_b - l.
//   - b is played with w_b > w_*: m_b - m_* ≤ U_b - L_* ≤ E_b (exp(w_b) - exp(-w_b)),
//     as E_b ≤ E_*.
//   - b is played else, * being a rival: the credit of * grows by
//     (U_b - L_*)/Patience, at least (m_b - m_*)/Patience, and stays below the price
//     of its next trial. That is at most U_* - l or s E_b before the first launch,
//     the same before the first reading, and then E_* with a posterior standard
//     deviation, which w_* exceeds, less E_b: at most E_b (exp(3 w_*) - 1), since
//     E_* exp(-w_*) < E_b exp(w_b).
//   - a rival i is tried with n = 0: the loss is at most U_i - l.
//   - a rival i is tried with n > 0: m_i ≤ L_i exp(2 w_i) < E_b exp(w_b + 2 w_i) with
//     w_b ≤ w_i. Where * could be tried too, L_i ≤ L_* ≤ m_*; where w_b > w_* forbids it,
//     m_* ≥ E_b exp(-w_b); where its credit does, or it is no rival, what b would
//     lose is counted above, and m_b ≥ E_b exp(-w_b). What is left is at most
//     E_b (exp(3 w_i) - exp(-w_i)) in each case.
//   - one that is no rival is tried: see LostUS.
//
// An estimate never exceeds what it is now by more than twice its half-width, so
// that E_b ≤ H = min_i E_i exp(2 w_i). With q(n) = exp(3 w(n)) - exp(-w(n)),
// e(n) = exp(3 w(n)) - 1 and sums over the n ≥ 1 that are to come and have
// w(n) > ln(1+s)/2,
//
//	ToComeUS = Σ_i (2 (U_i - l) + H Σ_n q_i(n)) + Patience · max_i (2 A_i + H Σ_n e_i(n))
//
// where A_i = max(U_i - l, s H); what stands before the sums over n is left out,
// launch by launch, where it is over. The sums are taken in blocks of n that grow
// with n, of whose terms each is bounded by their greatest.
//
// The scheme is that of intervals for the best and its rival (S. Kalyanakrishnan
// et al., PAC Subset Selection in Stochastic Multi-armed Bandits, ICML 2012); a
// trial is paid once waiting may have lost its price, as one buys skis once their
// rent has come to it.
type Bound struct {
	Epsilon    float64 `json:"epsilon"`
	LostUS     float64 `json:"lost_us"`
	ToComeUS   float64 `json:"to_come_us"`
	Confidence float64 `json:"confidence"` // 1-δ
}

// bound returns the bound for what a record holds, estimated for its last
// launch.
func (k *record) bound(o OnlineOptions, r onlineRules) Bound {
	least, _ := k.allowance(r)
	highest := math.Inf(1)
	for i, est := range k.est {
		if !math.IsInf(est, 1) {
			highest = min(highest, math.Exp(est+2*k.width[i]))
		}
	}
	lost, waited := 0.0, 0.0
	for i := range k.arms {
		if !math.IsInf(k.est[i], 1) {
			trials, prices, _ := k.still(i, least, highest, r)
			lost += trials
			waited = max(waited, prices)
		}
	}
	return Bound{Epsilon: o.Epsilon, LostUS: k.lostUS, ToComeUS: lost + r.patience*waited, Confidence: o.Confidence}
}

// still returns the terms of ToComeUS for one arm, and of how many blocks.
func (k *record) still(i int, least, highest float64, r onlineRules) (trials, prices float64, blocks int) {
	a := &k.arms[i]
	if a.count == 0 {
		risk := math.Exp(k.est[i]+k.width[i]) - least
		trials, prices = risk, max(risk, r.settle*highest)
		if !a.warmed {
			trials, prices = 2*trials, 2*prices
		}
	}
	threshold := math.Log1p(r.settle) / 2
	half, sigma := k.forecasts[i].half, k.noise.sigma
	for n := max(1, a.count); ; blocks++ {
		next := n + 1 + n/blockShare
		w := min(r.widest(n, next-1, len(k.arms), half, sigma), mostLn)
		if w > threshold {
			each := highest * float64(next-n)
			trials += each * (math.Exp(3*w) - math.Exp(-w))
			prices += each * math.Expm1(3*w)
		} else if r.dataWidth(n, len(k.arms), sigma) <= threshold {
			return trials, prices, blocks
		}
		n = next
	}
}

// blockShare: a block that begins at n ends before n + 1 + n/blockShare, so that
// the sum is at most a few percent too large.
const blockShare = 32

// widest is at least the half-width w(n) of each n from first to last. The width
// of the readings alone falls with n, and their weight grows; between them and
// the range of the forecast the mean lies farthest out at one end.
func (r onlineRules) widest(first, last, arms int, half, noise float64) float64 {
	data := r.dataWidth(first, arms, noise)
	n := first
	if data > half {
		n = last
	}
	lambda := weight(n, r.tau(half), noise)
	return lambda*data + (1-lambda)*half
}
