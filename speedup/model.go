package speedup

import (
	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// Model is one implementation on one device for one kind of call, ready to
// price streams. It is safe for concurrent use.
type Model struct{ b Bundle }

// Compile prepares the prices of one implementation as CompileAll does.
func Compile(v variant.Variant, d *device.Profile, c device.Call) (*Model, error) {
	m := new(Model)
	if err := m.b.compile([]variant.Variant{v}, d, c); err != nil {
		return nil, err
	}
	return m, nil
}

// US returns the predicted time of one call in microseconds, exactly the one
// that Predict explains, without allocation. It is +Inf for a stream that the
// implementation cannot run on the device: too many targets for the copies in
// shared memory, not grouped, no updates, or warps of another size. Of other
// statistics that no stream has, Check must be asked first.
func (m *Model) US(s *collision.Stats) float64 {
	var out [1]float64
	m.b.US(s, out[:])
	return out[0]
}

// Check returns nil if the model can price a stream with these statistics.
// Errors wrap ErrStats, ErrNotGrouped or device.ErrCannot.
func (m *Model) Check(s *collision.Stats) error { return m.b.Check(s, 0) }

// Explain returns what US returns with its phases and bounds. Errors are those
// of Check.
func (m *Model) Explain(s *collision.Stats) (Cost, error) { return m.b.Explain(s, 0) }
