package learners

import (
	"errors"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
)

// FuzzDecodeLearners: any text is a table of losses of at least 1, or an error that names file and
// value.
func FuzzDecodeLearners(f *testing.F) {
	head := fingerprintMark + strings.Repeat("a", 64) + "\n" + strings.Join(learnerColumns, ",") + "\n"
	f.Add([]byte(head + "h200,families,\"a, b\",10,5,1.25,1.5,2,0.125,0.25\n"))
	f.Add([]byte(head + "h200,fit,c,10,5,1.25,1.5,2,,\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var rows []LearnerRow
		var err error
		lines := strings.Count(string(data), "\n") + 1
		allocation.BoundBeyond(t, len(data), lines<<10, func() { _, rows, err = DecodeLearners("l.csv", data) })
		if err != nil {
			if !errors.Is(err, ErrLearners) || !strings.Contains(err.Error(), "l.csv:") {
				t.Error(err)
			}
			return
		}
		for _, r := range rows {
			if !(r.Loss.GeometricMean >= 1 && r.Loss.Max < 1e300) || r.Samples < 1 {
				t.Errorf("%+v", r)
			}
		}
	})
}
