package choices

import (
	"bytes"
	"sync"
	"testing"

	"github.com/atomtune/atomtune/datasets/h100"
	"github.com/atomtune/atomtune/lab/validate"
)

// otherReport judges choices on another GPU than the H200, from which the closed forms took their
// shape, with that GPU's profile: its parts, its quick calibration, launches and the floor.
var otherReport = sync.OnceValues(func() (r TunerReport, err error) {
	for _, judge := range []func() error{
		func() error { return r.judgeParts(h100.Archive, nil) },
		func() error { return r.judgeQuick(h100.Archive) },
		func() error { return r.judgeLaunches(h100.Archive, nil) },
		func() error { return r.judgePortfolio(h100.Archive) },
	} {
		if err := judge(); err != nil {
			return r, err
		}
	}
	return r, nil
})

const otherHead = `
## Measured: choices on an NVIDIA H100

The closed forms took their shape on the H200. Here they have the profile of an H100, and
judge by its recordings under datasets/h100, dealt to the same halves; the quick calibration is what
` + "`atomprobe --quick`" + ` reads in seconds. Nothing is enforced: "beyond" is a limit of the H200 that is
not kept here. ` + "`atomlab validate tuner --gpu h100`" + ` prints more.

| figure | value | limit | rows | |
|---|---|---|---|---|
`

// writeOther writes the limits of another GPU.
func writeOther(doc *bytes.Buffer, r TunerReport) {
	doc.WriteString(otherHead)
	writeChecks(doc, r.Checks, func(c validate.Check) string {
		if c.Failure() != "" {
			return "beyond"
		}
		return ""
	})
}

// TestOther: choices on another GPU are judged by both halves and by a validation set, by many
// calls, and lose no more than what a neighbour's threshold would be worth.
func TestOther(t *testing.T) {
	r, err := otherReport()
	if err != nil {
		t.Fatal(err)
	}
	for name, questions := range map[string]int{heldOutPart: 900, "fresh validation set": 600} {
		p := partOf(t, r, name)
		careful := p.Rules[2].Loss
		if loss := p.Rules[0].Loss; p.Questions < questions ||
			loss.GeometricMean-1 > (careful.GeometricMean-1)/3 {
			t.Errorf("%s: %d choices lose %v, a careful ladder %v", name, p.Questions, loss, careful)
		}
	}
	if len(r.Checks) < 20 || len(r.Launches) != 2 {
		t.Errorf("%d limits, %d sets of launches", len(r.Checks), len(r.Launches))
	}
}
