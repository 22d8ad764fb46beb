package speed

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"runtime"

	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/splitmix"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/tuner"
)

var chooseSuite = Suite{"choose", "A choice for a long stream in a file, by samples that settle it, beside one " +
	"from all of it.", measureChoose}

const (
	longUpdates = 1 << 28
	longTargets = 1 << 16
	// longSeconds is what is asked for: a second for a thousand million updates.
	longSeconds = longUpdates / 1e9
)

// longStreams are the streams of the suite: the target of the update of a number, of so many.
var longStreams = []struct {
	name   string
	target func(rng *splitmix.Rand, i, updates uint64) uint32
}{
	{"uniform", func(rng *splitmix.Rand, _, _ uint64) uint32 { return uint32(rng.Uint64() % longTargets) }},
	{"sorted", func(_ *splitmix.Rand, i, updates uint64) uint32 {
		high, low := bits.Mul64(i, longTargets)
		target, _ := bits.Div64(high, low, updates)
		return uint32(target)
	}},
}

func measureChoose(r *runner) error { return measureLong(r, longUpdates) }

func measureLong(r *runner, updates uint64) error {
	d, err := device.Builtin("h200")
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "atomlab-choose-")
	if err != nil {
		return err
	}
	defer wholefile.Temporary(folder)()
	defer os.RemoveAll(folder)
	for _, s := range longStreams {
		path := filepath.Join(folder, s.name+".u32")
		if err := writeLong(path, updates, s.target); err != nil {
			return err
		}
		o := tuner.Options{SearchLaunch: true}
		err := r.time(Case{Name: fmt.Sprintf("stream=%s/k=%d/n=%d", s.name, longTargets, updates),
			Work: float64(updates), Unit: "updates", Cores: runtime.GOMAXPROCS(0),
			Run: func() error { return chooseLong(path, d, o) },
			Against: &Reference{Name: "all of the stream", Work: float64(updates),
				Run: func() error { return chooseAll(path, d, o) }},
			Aim: Aim{Seconds: longSeconds}})
		if err = errors.Join(err, os.Remove(path)); err != nil {
			return err
		}
	}
	return nil
}

// writeLong writes a stream of 32-bit indices.
func writeLong(path string, updates uint64,
	target func(rng *splitmix.Rand, i, updates uint64) uint32) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	rng, w := splitmix.New(1), bufio.NewWriterSize(f, 1<<20)
	var word [4]byte
	for i := range updates {
		binary.LittleEndian.PutUint32(word[:], target(rng, i, updates))
		if _, err := w.Write(word[:]); err != nil {
			return err
		}
	}
	return w.Flush()
}

// chooseLong chooses as the command does for a long file.
func chooseLong(path string, d *device.Profile, o tuner.Options) (err error) {
	in, err := datasets.Open(path, datasets.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	if in.Random() == nil {
		return fmt.Errorf("%s cannot be read at any place on this system", path)
	}
	_, err = tuner.ChooseSource(context.Background(), in, d, o)
	return err
}

// chooseAll chooses from all of a file.
func chooseAll(path string, d *device.Profile, o tuner.Options) (err error) {
	in, err := datasets.Open(path, datasets.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	o.Reading.From = math.MaxUint64
	_, err = tuner.ChooseSource(context.Background(), in, d, o)
	return err
}
