package model

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/portable"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/variant"
)

// alone begins the caveat of predictions without a model.
const alone = "closed forms alone, without a correction trained by simulation: "

// For returns the model to use for a kind of call on a device. A given model must fit. The embedded
// one is left out, with the reason as a caveat, where it does not, and any for operations that the
// device makes otherwise than sums.
func For(d *device.Profile, call device.Call, given *Model) (m *Model, caveat string, err error) {
	if given != nil {
		m, err = given, given.Fits(d)
	} else {
		m, caveat, err = embeddedFor(d)
	}
	if err != nil {
		return nil, "", err
	}
	if !d.LikeAdd(call) {
		return nil, alone + "models are trained on sums, and " + d.Name + " makes " +
			call.Op.String() + " of " + call.Type.String() + " in another way", nil
	}
	return m, caveat, nil
}

// embeddedFor returns the embedded model of a device, or the reason for which there is none or it
// does not fit.
func embeddedFor(d *device.Profile) (m *Model, caveat string, err error) {
	m, err = Embedded(d.Name)
	switch {
	case errors.Is(err, ErrNoModel):
		return nil, alone + "no model comes with the library for " + d.Name, nil
	case err == nil:
		err = m.Fits(d)
	case !errors.Is(err, errFeatures):
		return nil, "", err
	}
	if err != nil {
		return nil, alone + err.Error(), nil
	}
	return m, "", nil
}

// Fits returns an error that wraps ErrModel unless the model was trained on
// this profile and these closed forms.
func (m *Model) Fits(d *device.Profile) error {
	if m.Device != d.Name {
		return invalid("it was trained for %s, not for %s", m.Device, d.Name)
	}
	if ProfileHash(d) != m.ProfileHash {
		return invalid("the profile of %s is not the one that it was trained on", d.Name)
	}
	if m.checked == nil {
		return m.checkClosedForms(d)
	}
	// The profile is the one of the hash, so the outcome is always the same.
	m.checked.Do(func() { m.outcome = m.checkClosedForms(d) })
	return m.outcome
}

// checkClosedForms compares today's closed forms with those of the training.
func (m *Model) checkClosedForms(d *device.Profile) error {
	if ClosedFormsHash(d) != m.ClosedForms {
		return invalid("the closed forms have changed since it was trained")
	}
	return nil
}

// ClosedFormsHash tells closed forms of all candidates on a device apart: a hash of the mean of
// ln(closed_us) of each over the reference streams and all types that it can run.
func ClosedFormsHash(d *device.Profile) string {
	bare, sum := WithoutHost(d), sha256.New()
	for _, v := range Ranked(d) {
		if mean, n := closedForm(v, bare); n > 0 {
			fmt.Fprintf(sum, "%s %.9g\n", v, mean)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// closedForm returns the mean over n streams and types.
func closedForm(v variant.Variant, d *device.Profile) (mean float64, n int) {
	sum := 0.0
	for _, t := range device.Types() {
		closed, err := speedup.CompileAll([]variant.Variant{v}, d, device.Call{Type: t})
		if err != nil {
			continue
		}
		for _, s := range ReferenceStreams {
			s.WarpSize = int(d.Core.WarpLanes.Value)
			if closed.Check(&s, 0) == nil {
				var us [1]float64
				closed.US(&s, us[:])
				sum += portable.Log(us[0])
				n++
			}
		}
	}
	return sum / float64(max(1, n)), n
}

// ReferenceStreams are a grouped stream over 16 targets and a nearly uniform
// one over 2^16, with figures of the size that such streams have.
var ReferenceStreams = [...]collision.Stats{
	{
		Updates: 1 << 16, Bins: 16, Unique: 16, BlockSize: 256, WarpLevel: 1, BlockLevel: 1,
		AllLevel: 1 << 12, DistinctPerWarp: 1, DistinctPerBlock: 1, ClusteredFraction: 31.0 / 32,
		Runs: 16, MaxFrequency: 1 << 12, MaxChunkFrequency4: 1 << 16, MaxChunkFrequency8: 1 << 16,
		Sectors4: 1, Sectors8: 1, SectorPasses4: 32, SectorPasses8: 32, BankDegree: 1, BankLanes: 32,
		Cover: collision.Cover{0.0625, 0.125, 0.25, 0.5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
	},
	{
		Updates: 1 << 20, Bins: 1 << 16, Unique: 1 << 16, BlockSize: 256, WarpLevel: 0.032,
		BlockLevel: 0.006, AllLevel: 16, DistinctPerWarp: 31.99, DistinctPerBlock: 255.5,
		ClusteredFraction: 1e-5, Runs: 1 << 20, MaxFrequency: 36, MaxChunkFrequency4: 1160,
		MaxChunkFrequency8: 600, Sectors4: 31.9, Sectors8: 31.9, SectorPasses4: 31.95,
		SectorPasses8: 31.95, BankDegree: 3.5, BankLanes: 3.5,
		Cover: collision.Cover{3.4e-5, 6.6e-5, 1.3e-4, 2.5e-4, 4.9e-4, 9.6e-4, 1.9e-3, 3.7e-3, 7.1e-3,
			0.0137, 0.0262, 0.05, 0.095, 0.179, 0.332, 0.599, 1},
		Misses: collision.Misses{
			{Lanes: 31.98, Distinct: 31.97, Highest: 1.007, Sectors4: 31.92, Sectors8: 31.95, Frequency: 32},
			{Lanes: 31.94, Distinct: 31.93, Highest: 1.007, Sectors4: 31.88, Sectors8: 31.91, Frequency: 31},
			{Lanes: 31.78, Distinct: 31.77, Highest: 1.007, Sectors4: 31.72, Sectors8: 31.75, Frequency: 30},
			{Lanes: 31.18, Distinct: 31.17, Highest: 1.006, Sectors4: 31.13, Sectors8: 31.16, Frequency: 30},
			{Lanes: 29.07, Distinct: 29.06, Highest: 1.006, Sectors4: 29.02, Sectors8: 29.05, Frequency: 29},
			{Lanes: 21.93, Distinct: 21.92, Highest: 1.004, Sectors4: 21.9, Sectors8: 21.91, Frequency: 29},
		},
	},
}
