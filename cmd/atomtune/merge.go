package main

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
)

// mergeRows returns the rows of the journals and their sweep. Flags that were
// given must agree with what the journals say of themselves.
func mergeRows(d *device.Profile, f trainFlags) (model.Sweep, []training.Row, error) {
	head, rows, err := training.Merge(f.merge...)
	if err != nil {
		return model.Sweep{}, nil, err
	}
	if head.ProfileHash != model.ProfileHash(d) {
		return model.Sweep{}, nil, fmt.Errorf("%s: %w: it was simulated for device %s with another profile than that of %s",
			f.merge[0], training.ErrJournal, head.Device, d.Name)
	}
	asked, made := f.sweep.Normal(), head.Sweep.Normal()
	for _, p := range []struct {
		flag        string
		asked, made uint64
	}{
		{"points", uint64(asked.Points), uint64(made.Points)},
		{"seed", asked.Seed, made.Seed},
		{"min-updates", asked.MinUpdates, made.MinUpdates},
		{"max-updates", asked.MaxUpdates, made.MaxUpdates},
		{"max-bins", asked.MaxBins, made.MaxBins},
		{"short-updates", asked.ShortUpdates, made.ShortUpdates},
	} {
		if f.changed(p.flag) && p.asked != p.made {
			return model.Sweep{}, nil, command.Usagef("%s: simulated with --%s %d, not %d", f.merge[0], p.flag, p.made, p.asked)
		}
	}
	if f.changed("line") && asked.Line != made.Line {
		return model.Sweep{}, nil, command.Usagef("%s: simulated with --line %d, not %d", f.merge[0], made.Line, asked.Line)
	}
	if f.changed("screen") && asked.Screen != made.Screen {
		return model.Sweep{}, nil, command.Usagef("%s: simulated with --screen %v, not %v", f.merge[0], made.Screen, asked.Screen)
	}
	if f.joined != "" {
		data, err := training.EncodeJournal(head, rows)
		if err != nil {
			return model.Sweep{}, nil, err
		}
		if err := writeMaybeCompressed(f.joined, data); err != nil {
			return model.Sweep{}, nil, err
		}
	}
	return head.Sweep, rows, nil
}
