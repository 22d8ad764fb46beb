// Package splitmix is the generator splitmix64 of G. L. Steele, D. Lea, C. H. Flood.
// Fast Splittable Pseudorandom Number Generators. OOPSLA 2014. It is written out so that
// a seed keeps its numbers whatever the standard library does.
package splitmix

import "math/bits"

// Golden is 2^64 over the golden ratio, the step of the generator's counter.
const Golden = 0x9e3779b97f4a7c15

// Knuth is a prime near 2^32 over the golden ratio, the multiplier of the hash of 32 bits (D. E. Knuth. The
// Art of Computer Programming 3, section 6.4).
const Knuth = 2654435761

// High returns the highest bits of a number times Knuth modulo 2^32.
func High(x uint32, bits int) uint32 { return x * Knuth >> (32 - bits) }

// Rand is a 64-bit counter whose values are mixed. The zero Rand is seeded with 0.
type Rand struct{ state uint64 }

// New returns a generator. Equal seeds give equal sequences.
func New(seed uint64) *Rand { return &Rand{seed} }

// Uint64 returns a number uniform over all of uint64.
func (r *Rand) Uint64() uint64 {
	r.state += Golden
	return Mix(r.state)
}

// Below returns a number uniform in [0, n), without bias, by multiplication
// with rejection (D. Lemire. Fast Random Integer Generation in an Interval. ACM
// TOMACS 29(1), 2019). n is at least 1; for 0 it returns 0.
func (r *Rand) Below(n uint64) uint64 {
	high, low := bits.Mul64(r.Uint64(), n)
	if low < n {
		for reject := -n % n; low < reject; {
			high, low = bits.Mul64(r.Uint64(), n)
		}
	}
	return high
}

// Float64 returns a multiple of 2^-53 uniform in [0, 1).
func (r *Rand) Float64() float64 {
	return float64(r.Uint64()>>11) / (1 << 53)
}

// Mix is the output function of the generator, a bijection of uint64.
func Mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
