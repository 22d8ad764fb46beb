package device

import "strings"

// SourceEstimate is the source of a quantity that no document states and nobody measured on the
// device. Its rationale says how it was estimated.
const SourceEstimate = "estimate"

// Estimate says of a profile that nothing in it was measured on the device: each quantity is from a
// public document, or has SourceEstimate.
type Estimate struct {
	// Base is the profile that estimated quantities are taken over from, or scaled.
	Base string `json:"base"`
	// BaseVendor is the vendor of that profile, which may be another than the device's.
	BaseVendor string `json:"base_vendor"`
}

// Origin says in a word of what the profile is made: of readings of the device, of papers, or as an
// estimate.
func (p *Profile) Origin() string {
	switch {
	case p.Estimate != nil:
		return "estimate"
	case p.GlobalAtomic(U32).Slice != nil:
		return OfReadings
	}
	return "papers"
}

// OfReadings is the Origin of a profile that atomprobe's readings made.
const OfReadings = "readings"

// validateEstimate refuses measurements in a profile that says that it holds none.
func (p *Profile) validateEstimate() (err error) {
	if p.Estimate == nil {
		return nil
	}
	if p.Estimate.Base == "" || p.Estimate.BaseVendor == "" {
		return broken("estimate names no base")
	}
	p.Facts(func(f Fact) {
		measured := strings.HasPrefix(f.Source(), "measured on ") || f.Source() == recordedCalls ||
			f.Source() == recordedReadings
		if err == nil && measured {
			err = broken("%s: %q in a profile that is an estimate", f.Place, f.Source())
		}
	})
	return err
}
