package learners

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
)

// learnersFile is the table of learners that the program holds. `atomtune
// validate tuner --learners` makes it.
const learnersFile = "learners.csv"

//go:embed learners.csv
var learnersText []byte

// KnownLearners are the rows of the program's own table.
func KnownLearners() ([]LearnerRow, error) {
	_, rows, err := decodeLearners(learnersFile, learnersText)
	return rows, err
}

// MakeLearners compares learners on the finished sweeps of the journals, device
// by device, those of the H200 on its recorded calls too, and returns the rows
// with the fingerprint of their table. It takes minutes of one core per device.
// o.Progress is told of each device's fits; o.Recorded is set here. Errors wrap
// ErrValidate or are the context's.
func MakeLearners(ctx context.Context, o LearnerOptions, journals ...string) (fingerprint string, rows []LearnerRow, err error) {
	if len(journals) == 0 {
		return "", nil, fmt.Errorf("%w: no journal of a sweep to compare learners on", validate.ErrValidate)
	}
	if fingerprint, err = LearnersFingerprint(journals...); err == nil {
		rows, err = makeLearners(ctx, o, journals)
	}
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: %w", validate.ErrValidate, err)
	}
	return fingerprint, rows, err
}

func makeLearners(ctx context.Context, o LearnerOptions, journals []string) ([]LearnerRow, error) {
	var all []LearnerRow
	for _, path := range journals {
		gpu, j, err := ReadSweep(path)
		if err != nil {
			return nil, err
		}
		o.Recorded = recordingsOf(gpu)
		rows, err := CompareLearners(ctx, gpu, j.Header.Sweep, j.Rows, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, rows...)
	}
	return all, nil
}

// ReadSweep reads a journal that was made with the built-in profile of its
// device.
func ReadSweep(path string) (*device.Profile, training.Journal, error) {
	j, err := training.ReadJournal(path)
	if err != nil {
		return nil, j, err
	}
	gpu, err := device.Builtin(j.Header.Device)
	if err != nil {
		return nil, j, fmt.Errorf("%s: %w", path, err)
	}
	if hash := model.ProfileHash(gpu); hash != j.Header.ProfileHash {
		return nil, j, fmt.Errorf("%s: made with another profile of %s: %s, the built-in one is %s", path, j.Header.Device, j.Header.ProfileHash, hash)
	}
	return gpu, j, nil
}
