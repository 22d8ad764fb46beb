package speedup

import (
	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// Model is a Bundle of one implementation.
type Model struct{ b *Bundle }

// Compile prepares one implementation as CompileAll does.
func Compile(v variant.Variant, d *device.Profile, c device.Call) (*Model, error) {
	b, err := CompileAll([]variant.Variant{v}, d, c)
	return &Model{b}, err
}

func (m *Model) US(s *collision.Stats) float64 {
	var out [1]float64
	m.b.US(s, out[:])
	return out[0]
}

func (m *Model) Check(s *collision.Stats) error { return m.b.Check(s, 0) }

func (m *Model) Explain(s *collision.Stats) (Cost, error) { return m.b.Explain(s, 0) }
