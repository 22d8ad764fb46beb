package speed

import (
	"bytes"

	"github.com/atomtune/atomtune/calibration"
	"github.com/atomtune/atomtune/datasets/h100"
	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
)

var fitSuite = Suite{"fit", "Device profiles of what atomprobe recorded on an H100, from the text of the files.",
	measureFit}

func measureFit(r *runner) error {
	quick, err := h100.Archive.Quick()
	if err != nil {
		return err
	}
	for _, c := range []struct {
		name string
		run  *archive.Archive
		most float64 // seconds
	}{{"quick", quick, 5}, {"full", h100.Archive, 30}} {
		in, err := fitInput(c.run)
		if err != nil {
			return err
		}
		err = r.time(Case{Name: "fit/run=" + c.name, Work: float64(len(in.Readings)), Unit: "readings",
			Cores: 2, Aim: Aim{Seconds: c.most}, Run: func() error {
				in, err := fitInput(c.run)
				if err == nil {
					_, _, err = calibration.Profile(in)
				}
				return err
			}})
		if err != nil {
			return err
		}
	}
	return nil
}

// fitInput reads what is fitted of a run's files.
func fitInput(a *archive.Archive) (in calibration.Input, err error) {
	in.Name = a.Name()
	data, err := a.File(recordings.ReadingsFile)
	if err != nil {
		return in, err
	}
	if in.Provenance, in.Readings, err = recordings.DecodeReadings(recordings.ReadingsFile, data); err != nil {
		return in, err
	}
	if data, err = a.File(recordings.ScratchpadFile); err != nil {
		return in, err
	}
	in.Scratchpad, err = patterns.ReadMeasurements(bytes.NewReader(data), recordings.ScratchpadFile,
		patterns.Words)
	if err != nil {
		return in, err
	}
	in.Instructions, err = recordings.ColumnInstructions(recordings.ScratchpadFile, in.Scratchpad)
	return in, err
}
