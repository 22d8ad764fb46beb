package synth

import (
	"math"
	"math/bits"

	"github.com/atomtune/atomtune/internal/splitmix"
)

// Rand is the splitmix64 generator [steele14]. The zero Rand is seeded with 0.
type Rand = splitmix.Rand

// NewRand returns a generator. Equal seeds give equal sequences.
func NewRand(seed uint64) *Rand { return splitmix.New(seed) }

func target(r *Rand, k uint32) uint32 { return uint32(r.Below(uint64(k))) }

// permutation is a keyed bijection of [0, k): a balanced Feistel network over the next even
// number of bits, walked until the value falls below k, fewer than four times on average.
type permutation struct {
	k    uint32
	half uint // bits of each half
	mask uint64
	keys [6]uint64
}

func newPermutation(k uint32, r *Rand) permutation {
	half := max(1, (uint(bits.Len32(k-1))+1)/2)
	p := permutation{k: k, half: half, mask: 1<<half - 1}
	for i := range p.keys {
		p.keys[i] = r.Uint64()
	}
	return p
}

// at returns the image of i, which is below k.
func (p *permutation) at(i uint32) uint32 {
	v := uint64(i)
	for {
		left, right := v>>p.half, v&p.mask
		for _, key := range p.keys {
			left, right = right, left^splitmix.Mix(right^key)&p.mask
		}
		v = left<<p.half | right
		if v < uint64(p.k) {
			return uint32(v)
		}
	}
}

// zipf draws ranks 1 to k with probability proportional to rank^-s, exactly,
// in constant time and space, by rejection-inversion [hormann96]: invert the
// integral H of the envelope x^-s and reject the excess.
type zipf struct {
	s, k        float64
	top, bottom float64 // H(1.5) - 1 and H(k + 0.5)
	sure        float64 // distance within which no test is needed
}

func newZipf(s float64, k uint32) *zipf {
	z := &zipf{s: s, k: float64(k)}
	z.top = z.integral(1.5) - 1
	z.bottom = z.integral(z.k + 0.5)
	z.sure = 2 - z.inverse(z.integral(2.5)-z.height(2))
	return z
}

// integral is H(x) = (x^(1-s) - 1) / (1-s), or ln x at s = 1.
func (z *zipf) integral(x float64) float64 {
	l := logarithm(x)
	return expm1Ratio(float64((1-z.s)*l)) * l
}

func (z *zipf) inverse(y float64) float64 {
	t := float64(y * (1 - z.s))
	if t <= -1 { // rounding at the far end, where the integral is bounded
		return z.k
	}
	return exponential(float64(log1pRatio(t) * y))
}

// height is x^-s.
func (z *zipf) height(x float64) float64 {
	return exponential(float64(-z.s * logarithm(x)))
}

func (z *zipf) rank(r *Rand) uint32 {
	for {
		u := z.bottom + float64(r.Float64()*(z.top-z.bottom))
		n, accepted := z.quickly(u)
		if !accepted {
			n, accepted = z.exactly(u)
		}
		if accepted {
			return n - 1
		}
	}
}

// exactly returns the rank from 1 to which a draw leads, and whether it is accepted.
func (z *zipf) exactly(u float64) (uint32, bool) {
	x := z.inverse(u)
	n := max(1, min(math.Floor(x+0.5), z.k))
	return uint32(n), n-x <= z.sure || u >= z.integral(n+0.5)-z.height(n)
}

// apart is how far quickly and inverse lie apart at most, relative to either. Their logarithms and
// powers differ by a few 1e-16, which the exponent, below 23, multiplies.
const apart = 1e-12

// quickly returns what exactly does, where the functions of package math leave no doubt that the draw
// is accepted without a test. In doubt it accepts none.
func (z *zipf) quickly(y float64) (n uint32, accepted bool) {
	t := float64(y * (1 - z.s))
	if t <= -1 {
		return 0, false
	}
	if u := 1 + t; u != 1 {
		y *= math.Log(u) / (u - 1)
	}
	x := math.Exp(y)
	doubt := float64(x * apart)
	nearest := math.Floor(x + 0.5)
	if !(math.Abs(x-nearest) < 0.5-doubt) {
		return 0, false
	}
	nearest = max(1, min(nearest, z.k))
	return uint32(nearest), nearest-x < z.sure-doubt
}

// The functions below stand in for those of package math, whose last bits differ between platforms.
// They use additions, products, quotients and exact scaling only; each product within a sum is
// converted explicitly, which forbids fusing the two. Their relative error is a few 1e-16.

const (
	ln2High = 6.93147180369123816490e-01 // ln 2 to 32 bits: products with small integers are exact
	ln2Low  = 1.90821492927058770002e-10
)

// logarithm returns ln x for positive, finite x, by
//
//	x = 2^e m,  f = (m-1)/(m+1),  ln x = e ln 2 + 2 (f + f³/3 + f⁵/5 + ...)
func logarithm(x float64) float64 {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = m+m, e-1
	}
	f := (m - 1) / (m + 1)
	square := float64(f * f)
	var series float64
	for odd := 23; odd >= 3; odd -= 2 {
		series = float64(series*square) + 1/float64(odd)
	}
	tail := float64(2*f) * float64(series*square)
	n := float64(e)
	return float64(n*ln2High) + (float64(n*ln2Low) + float64(tail) + float64(2*f))
}

// exponential returns e^x for x between -700 and 700, by
//
//	x = n ln 2 + r,  e^x = 2^n (1 + r + r²/2! + ...)
func exponential(x float64) float64 {
	n := math.Floor(float64(x*(1/math.Ln2)) + 0.5)
	r := (x - float64(n*ln2High)) - float64(n*ln2Low)
	series := 1.0
	for i := 14; i >= 1; i-- {
		series = 1 + float64(r*series)/float64(i)
	}
	return math.Ldexp(series, int(n))
}

// expm1Ratio returns (e^t - 1)/t, 1 at 0. The logarithm of the rounded exponential cancels its rounding.
func expm1Ratio(t float64) float64 {
	u := exponential(t)
	if u == 1 {
		return 1
	}
	return (u - 1) / logarithm(u)
}

// log1pRatio returns ln(1+t)/t for t > -1, which is 1 at 0.
func log1pRatio(t float64) float64 {
	u := 1 + t
	if u == 1 {
		return 1
	}
	return logarithm(u) / (u - 1)
}
