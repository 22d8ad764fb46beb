package h100

import (
	"testing"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/datasets/recordings/archive/archivetest"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/variant"
)

// TestArchive: the archive is without fault, and index and README say what it holds.
func TestArchive(t *testing.T) { archivetest.Run(t, Archive, ".") }

// TestCalls: the calls are on the streams of the H200 with their statistics, and every candidate of a choice
// was measured in hundreds of them.
func TestCalls(t *testing.T) {
	streams := must.Get(Archive.Streams())(t)
	others := must.Get(h200.Archive.Streams())(t)
	for label, s := range streams {
		if other := others[label]; s != other {
			t.Errorf("%s: %+v, of the H200 %+v", label, s, other)
		}
	}
	recorded, launches := map[variant.Variant]int{}, map[variant.Variant]int{}
	for _, part := range []recordings.Part{recordings.Fit, recordings.HeldOut} {
		calls := must.Get(Archive.Calls(part))(t)
		for _, c := range calls {
			if c.Origin != recordings.Measured || c.Starts != archivetest.Starts(c) {
				t.Errorf("%s %s: %s, %d starts", c.Label, c.Implementation, c.Origin, c.Starts)
			}
			recorded[c.Implementation]++
		}
		fixed := must.Get(Archive.Launches(part))(t)
		for _, c := range fixed {
			launches[c.Implementation]++
		}
	}
	for _, v := range append(variant.Candidates(), variant.Sized()...) {
		// a GPU with one way to memory has no use for that
		if recorded[v] < 250 && v.Base != variant.Coordinator {
			t.Errorf("%s: %d calls", v, recorded[v])
		}
	}
	for v, n := range launches {
		if n < 2500 {
			t.Errorf("%s: %d calls in other launches", v, n)
		}
	}
	if launches[variant.Variant{}] < 30_000 {
		t.Errorf("%d calls of naive in other launches", launches[variant.Variant{}])
	}
}

// TestQuick: the quick calibration is of the same GPU, has fewer readings and a profile of its own,
// of the same name.
func TestQuick(t *testing.T) {
	quick, err := Archive.Quick()
	if err != nil || quick == nil {
		t.Fatalf("%v, %v", quick, err)
	}
	if err := quick.Check(); err != nil {
		t.Error(err)
	}
	var of [2]string
	var rows [2]int
	var profile [2]*device.Profile
	for i, a := range []*archive.Archive{Archive, quick} {
		data := must.Get(a.File(recordings.ReadingsFile))(t)
		p, readings, err := recordings.DecodeReadings(recordings.ReadingsFile, data)
		if err != nil {
			t.Fatal(err)
		}
		of[i], rows[i] = p.GPUUUID, len(readings)
		if profile[i], err = a.Profile(); err != nil {
			t.Fatal(err)
		}
	}
	if of[0] == "" || of[0] != of[1] || rows[1] < 1000 || rows[1] >= rows[0] {
		t.Errorf("of %v, %v readings", of, rows)
	}
	if full, own := profile[0], profile[1]; full.Name != own.Name || full.Title != own.Title ||
		full.Launch == own.Launch {
		t.Errorf("profiles %s and %s", full.Name, own.Name)
	}
}
