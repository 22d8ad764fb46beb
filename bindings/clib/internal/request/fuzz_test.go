package request

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/tuner"
)

// chooses demands that a choice is an implementation and a time, or an error of the caller's: no
// fault of the library.
func chooses(t *testing.T, what string, choose func() (Answer, error)) {
	t.Helper()
	var a Answer
	err := Attempt(func() (err error) {
		a, err = choose()
		return err
	})
	if errors.Is(err, ErrFault) {
		t.Errorf("%s: %v", what, err)
	}
	if err == nil && !(a.PredictedUS > 0) && a.Source != Leaf {
		t.Errorf("%s: %+v", what, a)
	}
}

// FuzzStream: indices of each type, ignored or not, are measured in the memory that they take, and
// chosen for.
func FuzzStream(f *testing.F) {
	f.Add([]byte("\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"), uint8(0), false, int64(0), uint64(5))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00\x00\x00\x00\x00\x00\x00"), uint8(3), true, int64(-1), uint64(0))
	f.Add(make([]byte, 4096), uint8(2), true, int64(7), uint64(1<<40))
	f.Fuzz(func(t *testing.T, data []byte, kind uint8, ignores bool, ignored int64, bins uint64) {
		s := streamOf(data, kind, ignores, ignored)
		r := Request{Device: "h200", Bins: bins, Options: tuner.Options{Call: device.Call{Type: device.F32}}}
		const tables = 16 << 20 // of the accumulators, whatever they count
		var err error
		allocation.BoundBeyond(t, len(data), tables, func() { _, err = r.Measure(s) })
		if err == nil && s.Len() == 0 {
			t.Error("statistics of no stream")
		}
		chooses(t, "a sample", func() (Answer, error) { return r.Choose(s) })
		r.Whole = true
		chooses(t, "the whole", func() (Answer, error) { return r.Choose(s) })
		chooses(t, "a tree", func() (Answer, error) {
			_, a, err := r.Leaf(r.Features(s))
			return a, err
		})
	})
}

// streamOf takes bytes as indices of one of the types.
func streamOf(data []byte, kind uint8, ignores bool, ignored int64) Stream {
	var all []uint64
	for ; len(data) >= 8; data = data[8:] {
		all = append(all, binary.LittleEndian.Uint64(data))
	}
	switch kind % 4 {
	case 0:
		return of[uint32](all, ignores, ignored)
	case 1:
		return of[int32](all, ignores, ignored)
	case 2:
		return of[uint64](all, ignores, ignored)
	}
	return of[int64](all, ignores, ignored)
}

func of[I index](all []uint64, ignores bool, ignored int64) Stream {
	s := &Of[I]{}
	for _, x := range all {
		s.Indices = append(s.Indices, I(x))
	}
	if x := I(ignored); ignores {
		s.Ignored = &x
	}
	return s
}

// FuzzStatistics: statistics that a caller made up are chosen for, or refused.
func FuzzStatistics(f *testing.F) {
	a := must.Get(collision.NewAccumulator(collision.Options{Bins: bins}))(f)
	must.Do(f, a.Add(targets[uint32](5000)))
	good := must.Get(a.Stats())(f)
	for field := range uint8(30) {
		f.Add(field, uint64(0), field+1, math.Float64bits(math.NaN()))
		f.Add(field, uint64(1<<63), field, math.Float64bits(math.Inf(1)))
	}
	f.Fuzz(func(t *testing.T, field uint8, value uint64, further uint8, more uint64) {
		s := good
		set(&s, field, value)
		set(&s, further, more)
		r := Request{Device: "h200", Options: tuner.Options{Call: device.Call{Type: device.F32}}}
		chooses(t, "statistics", func() (Answer, error) { return r.ChooseStatistics(&s) })
	})
}

// set sets a number of statistics: as its bits say where it is a float.
func set(s *collision.Stats, field uint8, value uint64) {
	all := reflect.ValueOf(s).Elem()
	switch v := all.Field(int(field) % all.NumField()); v.Kind() {
	case reflect.Uint64:
		v.SetUint(value)
	case reflect.Int:
		v.SetInt(int64(value % (1<<16 + 1))) // the library takes no more
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(value))
	case reflect.Array:
		if at := v.Index(int(value % uint64(v.Len()))); at.Kind() == reflect.Float64 {
			at.SetFloat(math.Float64frombits(value))
		} else {
			at.Field(0).SetFloat(math.Float64frombits(value))
		}
	}
}
