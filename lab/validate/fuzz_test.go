package validate

import (
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
)

// FuzzDecodeGaps: any text is a list of gaps with reasons, or an error that names file and line.
func FuzzDecodeGaps(f *testing.F) {
	f.Add([]byte(strings.Join(gapColumns, ",") + "\na,1,1.5,times,\"because, well\"\n"))
	f.Add([]byte("item\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var gaps map[string]Gap
		var err error
		rows := strings.Count(string(data), "\n") + 1
		allocation.BoundBeyond(t, len(data), rows<<10, func() { gaps, err = DecodeGaps("gaps.csv", data) })
		if err != nil {
			if !strings.Contains(err.Error(), "gaps.csv:") {
				t.Error(err)
			}
			return
		}
		for item, gap := range gaps {
			if item == "" || gap.Reason == "" {
				t.Errorf("%q: %+v", item, gap)
			}
		}
	})
}
