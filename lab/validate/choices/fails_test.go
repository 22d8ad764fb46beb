package choices

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/internal/quantile"
	"github.com/atomtune/atomtune/lab/validate/recorded"
)

// TestWhereClosedFormsFail: prices of streams that change along the way are further off than those of
// others, as doc/THEORY.md says.
func TestWhereClosedFormsFail(t *testing.T) {
	off := map[bool][]float64{} // of mixtures, of others
	for _, half := range []recordings.Part{recordings.Fit, recordings.HeldOut} {
		questions, err := recorded.OfPart(h200.Archive, half)
		if err != nil {
			t.Fatal(err)
		}
		list, _, err := answers(questions, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range list {
			mixed := strings.HasPrefix(list[i].Label, "mixture:")
			for _, f := range list[i].each {
				off[mixed] = append(off[mixed], math.Abs(math.Log(f.measuredUS/f.closedUS)))
			}
		}
	}
	if len(off[true]) < 1000 || len(off[false]) < 10000 {
		t.Fatalf("%d and %d calls", len(off[true]), len(off[false]))
	}
	for _, q := range []float64{0.5, 0.9} {
		if mixed, others := quantile.Of(off[true], q), quantile.Of(off[false], q); mixed <= others {
			t.Errorf("quantile %v: mixtures are %.3f off, others %.3f: the gap has closed", q, mixed, others)
		}
	}
	text, err := os.ReadFile("../../../doc/THEORY.md")
	if err != nil {
		t.Fatal(err)
	}
	const say = "streams that change along the way (mixtures) are further off than those of others"
	if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), say) {
		t.Errorf("doc/THEORY.md does not say %q", say)
	}
}
