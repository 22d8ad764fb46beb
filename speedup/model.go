package speedup

import (
	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// Model is a Bundle of one implementation.
type Model struct{ b *Bundle }

// Compile prepares the prices of one implementation as CompileAll does.
func Compile(v variant.Variant, d *device.Profile, c device.Call) (*Model, error) {
	b, err := CompileAll([]variant.Variant{v}, d, c)
	if err != nil {
		return nil, err
	}
	return &Model{b}, nil
}

// US returns the predicted time of one call in microseconds as Bundle.US does.
func (m *Model) US(s *collision.Stats) float64 {
	var out [1]float64
	m.b.US(s, out[:])
	return out[0]
}

// Check returns nil if the model can price a stream with these statistics, as Bundle.Check does.
func (m *Model) Check(s *collision.Stats) error { return m.b.Check(s, 0) }

// Explain returns what US returns with its phases and bounds, as Bundle.Explain does.
func (m *Model) Explain(s *collision.Stats) (Cost, error) { return m.b.Explain(s, 0) }

// Predict returns the time of one call of the implementation on a stream with these statistics, as
// two events around it on the device see it: the clearing of the targets, the launches and the
// kernels, and for ss the host's re-layout too; indices and values lie in device memory already.
// Errors are those of Compile and of Explain.
func Predict(
	v variant.Variant, s *collision.Stats, d *device.Profile, c device.Call,
) (Cost, error) {
	m, err := Compile(v, d, c)
	if err != nil {
		return Cost{}, err
	}
	return m.Explain(s)
}
