package calibration

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/h100"
	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/golden"
)

// TestAltered: the profile and the report, or that there is none, of readings of which some are missing or off
// are what testdata/altered.txt holds: of several at a time where a profile comes of it. The fits of columns
// are the stored ones.
func TestAltered(t *testing.T) {
	golden.OnlyFull(t)
	var lines []string
	for i, a := range []*archive.Archive{h100.Archive, h200.Archive} {
		whole := inputOf(t, a)
		var off []alteration
		for n, name := range groupsOf(whole.Readings) {
			if n%8 != 4*i { // one of four, on the devices in turn
				continue
			}
			if off = append(off, alteration{name, 1.5 * float64(n/8%2), n%3 == 0}); len(off) == 4 {
				lines, off = append(lines, alteredLines(t, whole, off...)...), nil
			}
		}
		lines = append(lines, alteredLines(t, whole, off...)...)
	}
	if len(lines) < 10 {
		t.Errorf("%d alterations", len(lines))
	}
	golden.Compare(t, "testdata/altered.txt", lines)
}

// alteration makes readings of a name larger, leaves them out, or does so to each second one of them.
type alteration struct {
	name   string  // as nameOf gives it
	factor float64 // 0 leaves them out
	second bool
}

// nameOf is what a reading is of: its suite and name, and the first of its parameters where that names an
// operation.
func nameOf(r recordings.Reading) string {
	if operation, _, _ := strings.Cut(r.Parameters, " "); strings.HasPrefix(operation, "op=") && r.Suite != "shared" {
		return r.Suite + " " + r.Name + " " + operation
	}
	return r.Suite + " " + r.Name
}

func groupsOf(list []recordings.Reading) (names []string) {
	for _, r := range list {
		if name := nameOf(r); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// inputOf is the input of an archive.
func inputOf(t *testing.T, a *archive.Archive) Input {
	t.Helper()
	in := Input{Name: a.Name()}
	data, err := a.File(recordings.ReadingsFile)
	if err != nil {
		t.Fatal(err)
	}
	if in.Provenance, in.Readings, err = recordings.DecodeReadings(recordings.ReadingsFile, data); err != nil {
		t.Fatal(err)
	}
	if in.Scratchpad, in.Instructions, err = columns(t, a); err != nil {
		t.Fatal(err)
	}
	return in
}

// alteredLines are digests of what alterations give: together, or one by one where they give no profile.
func alteredLines(t *testing.T, whole Input, all ...alteration) (lines []string) {
	t.Helper()
	in := whole
	for _, a := range all {
		in.Readings = a.of(in.Readings)
	}
	var sum golden.Digest
	b, err := newBuilder(in)
	if err != nil {
		t.Fatal(err)
	}
	p, report, err := b.build(func(all []ColumnFit) error {
		return fromStored(t, b, false, all, filepath.Join("testdata", in.Name+"_columns.json"))
	})
	switch {
	case err != nil && len(all) > 1:
		for _, a := range all {
			lines = append(lines, alteredLines(t, whole, a)...)
		}
		return lines
	case err != nil:
		sum.Text(fmt.Sprint(errors.Is(err, ErrData)))
	default:
		p.Facts(func(f device.Fact) {
			if sum.Text(f.Place); f.Quantity != nil {
				sum.Add(f.Quantity.Value)
			}
		})
		for _, q := range report.Quantities {
			sum.Text(q.Name)
			sum.JSON(t, []any{q.Value, q.Interval, q.Residuals})
		}
		for _, u := range report.Unidentified {
			sum.Text(u.Name)
		}
		sum.Add(float64(len(report.Warnings)))
	}
	return []string{fmt.Sprintf("%s %+v: %s", in.Name, all, &sum)}
}

func (a alteration) of(list []recordings.Reading) (out []recordings.Reading) {
	n := 0
	for _, r := range list {
		if nameOf(r) == a.name {
			if n++; !a.second || n%2 == 0 {
				if a.factor == 0 {
					continue
				}
				r.Value, r.Low, r.High = r.Value*a.factor, r.Low*a.factor, r.High*a.factor
			}
		}
		out = append(out, r)
	}
	return out
}
