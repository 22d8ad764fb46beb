package model_test

import (
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
)

// TestReferencePrices: what models check their closed forms by, and the features and corrections of the
// reference streams under each embedded model, are what testdata/reference.txt holds.
func TestReferencePrices(t *testing.T) {
	var lines []string
	for _, name := range golden.Devices {
		d, err := device.Builtin(name)
		tunertest.Must(t, err)
		var sum golden.Digest
		sum.Text(model.ClosedFormsHash(d))
		m, _, err := model.For(d, device.Call{}, nil)
		tunertest.Must(t, err)
		sum.JSON(t, model.ReferenceStreams())
		for _, typ := range []device.Type{device.U32, device.F32, device.F64} {
			c := device.Call{Type: typ}
			list := model.NewPredictors(impl.Candidates(), model.WithoutHost(d), m)
			for _, s := range model.ReferenceStreams() {
				s.WarpSize = int(d.Core.WarpLanes.Value)
				var x model.Vector
				x.Fill(&s, c)
				sum.Add(x[:]...)
				if err := list.Predict(&s, c); err != nil {
					sum.Text("refused")
					continue
				}
				for _, v := range impl.Candidates() {
					if p, err := list.Of(v); err == nil {
						sum.JSON(t, p)
					}
				}
			}
		}
		lines = append(lines, fmt.Sprintf("%s: %s", name, &sum))
	}
	for _, name := range []string{"h200", "gtx680"} {
		m, err := model.Embedded(name)
		tunertest.Must(t, err)
		text, err := m.Encode()
		tunertest.Must(t, err)
		lines = append(lines, fmt.Sprintf("%s altered: %s", name, golden.Altered(text, 100, func(altered []byte) error {
			_, err := model.Decode(altered)
			return tunertest.Refused(err)
		})))
	}
	golden.Compare(t, "testdata/reference.txt", lines)
}
