package model

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/strictjson"
)

// Intervals hold the central 90 % of measured over predicted times, by class, of calls that were
// recorded on the device.
type Intervals struct {
	Hash    string      `json:"hash"` // SHA-256 of the calls
	Streams int         `json:"streams"`
	Points  int         `json:"points"` // streams and kinds of call
	Classes [3]Interval `json:"classes"`
	// Share is the factor of the tree's corrections with which its choices keep the limits on these calls:
	// see Loss.Keeps.
	Share float64 `json:"share"`
	// What choices among the recorded calls lose, by the tree and by the closed forms alone.
	Tree       Loss `json:"tree"`
	ClosedForm Loss `json:"closed_form"`
}

// Interval is a factor on either side of a predicted time.
type Interval struct {
	Calls int     `json:"calls"` // that were recorded of the class
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Of returns the factors of an implementation's class.
func (i *Intervals) Of(v impl.Spec) (low, high float64) {
	c := i.Classes[v.Class()]
	return c.Low, c.High
}

func (i *Intervals) check() error {
	if i == nil {
		return nil
	}
	err := cmp.Or(
		fault(!isHash(i.Hash) || i.Streams < 1 || i.Points < i.Streams,
			"intervals of %d points of %d streams, hash %q", i.Points, i.Streams, i.Hash),
		fault(!(i.Share >= 0 && i.Share <= 1), "a share of %v", i.Share),
		fault(!i.Tree.valid() || !i.ClosedForm.valid(), "losses %+v and %+v", i.Tree, i.ClosedForm))
	for _, c := range i.Classes {
		err = cmp.Or(err, fault(c.Calls < 0 || !(c.Low > 0 && c.Low <= c.High) || !finite(c.High),
			"interval %+v", c))
	}
	return err
}

// Judged says how far estimated profiles are off, see device.Estimate. Profiles of the GPUs that were
// measured were made in the same manner, without their readings, and judged by their recorded calls:
// doc/results/ESTIMATES.md.
type Judged struct {
	Profiles []JudgedProfile `json:"profiles"`
}

// JudgedProfile is one estimate of a GPU that was measured, by the held-out half of its calls.
type JudgedProfile struct {
	Device       string `json:"device"`
	Base         string `json:"base"`
	Architecture string `json:"base_architecture"`
	// The measured time of a choice over that of the best, with the estimate and with the profile of
	// readings.
	Loss     Loss `json:"loss"`
	Measured Loss `json:"measured_loss"`
	// |predicted/measured - 1| of the choices, with both, in percent.
	MedianPercent         float64 `json:"median_error_percent"`
	MeasuredMedianPercent float64 `json:"measured_median_error_percent"`
}

//go:embed estimates.json
var judgedText []byte

// EstimatesJudged returns how far estimated profiles are off.
var EstimatesJudged = strictjson.Embedded[Judged]("tuner/model/estimates.json", &judgedText)

// ProfileNotes says what a reader of times should know of the profile that they come from: that it is
// an estimate, and that no device is as it says. The list is not nil.
func ProfileNotes(d *device.Profile) []string { return append(estimateNotes(d), d.Doubts()...) }

// estimateNotes says in a line that a profile is an estimate, how far such profiles were off, and
// what measures the GPU. There is none for other profiles; the list is not nil.
func estimateNotes(d *device.Profile) []string {
	if d.Estimate == nil {
		return []string{}
	}
	from := fmt.Sprintf("the profile of %s is an estimate, from public documents and measurements of the %s",
		d.Name, d.Estimate.Base)
	if d.Estimate.BaseVendor != d.Vendor {
		return []string{fmt.Sprintf("%s, a GPU of %s: the errors of its times are not known; atomprobe measures "+
			"only GPUs of %[2]s", from, d.Estimate.BaseVendor)}
	}
	span := func(of func(JudgedProfile) float64) (low, high float64) {
		low = math.Inf(1)
		for _, p := range EstimatesJudged().Profiles {
			low, high = min(low, of(p)), max(high, of(p))
		}
		return low, high
	}
	low, high := span(func(p JudgedProfile) float64 { return p.Loss.GeometricMean })
	_, with := span(func(p JudgedProfile) float64 { return p.Measured.GeometricMean })
	near, far := span(func(p JudgedProfile) float64 { return p.MedianPercent })
	return []string{fmt.Sprintf("%s; on the H200 and the H100 choices by such estimates took %.2f to %.2f times "+
		"as long as the best on average (measured profiles: at most %.2f), and the median error of their times "+
		"was %.0f to %.0f %%; atomprobe measures your GPU", from, low, high, with, near, far)}
}
