package archive

import (
	"encoding/json"
	"testing"
	"testing/fstest"

	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/must"
)

// FuzzReadIndex: an index that is read is written, and read as the same.
func FuzzReadIndex(f *testing.F) {
	f.Add([]byte(`{"files":[{"name":"a.csv","sha256":"00","rows":1,"columns":[{"name":"us"}]}],"streams":{"a":"fit"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		read := func(data []byte) (Index, error) {
			return ReadIndex(fstest.MapFS{IndexFile: {Data: data}})
		}
		var x Index
		var err error
		allocation.Bound(t, len(data), func() { x, err = read(data) })
		if err != nil {
			return
		}
		once := must.Get(json.Marshal(x))(t)
		again := must.Get(read(once))(t)
		if twice, err := json.Marshal(again); err != nil || string(once) != string(twice) {
			t.Errorf("%v:\n%s\n%s", err, once, twice)
		}
	})
}
