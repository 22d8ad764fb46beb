package recordings

import "crypto/sha256"

// Part is one part of the split of the streams. What is fitted or trained sees
// the streams of Fit alone; HeldOut serves to judge.
type Part string

// The parts.
const (
	Fit     Part = "fit"
	HeldOut Part = "held-out"
)

// Half returns the part to which a stream belongs, by its label alone: the last
// bit of the label's SHA-256 is 0 for Fit and 1 for HeldOut.
func Half(label string) Part {
	sum := sha256.Sum256([]byte(label))
	if sum[len(sum)-1]&1 == 0 {
		return Fit
	}
	return HeldOut
}
