package h100

import (
	"testing"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/datasets/recordings/archive/archivetest"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/must"
)

// TestArchive: the archive is without fault, and index and README say what it holds.
func TestArchive(t *testing.T) { archivetest.Run(t, Archive, ".") }

// TestQuick: the quick calibration is of the same GPU, has fewer readings and a profile of its own,
// of the same name.
func TestQuick(t *testing.T) {
	quick, err := Archive.Quick()
	if err != nil || quick == nil {
		t.Fatalf("%v, %v", quick, err)
	}
	must.Do(t, quick.Check())
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
