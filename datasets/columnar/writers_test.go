package columnar

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/internal/strictjson"
)

// Files of testdata/writers give the indices that make.py counted, or an error that says what to do.
func TestWriters(t *testing.T) {
	const folder = "testdata/writers"
	var cases []struct {
		File    string
		Options datasets.Options
		Updates int
		CRC32   uint32
		Words   []string
	}
	must.Do(t, strictjson.Decode(must.Get(os.ReadFile(filepath.Join(folder, "cases.json")))(t), &cases))
	for _, c := range cases {
		c.Options.Further = Formats()
		got, _, err := datasets.ReadAll(filepath.Join(folder, c.File), c.Options)
		if len(c.Words) == 0 {
			raw := must.Get(binary.Append(nil, binary.LittleEndian, got))(t)
			if err != nil || len(got) != c.Updates || crc32.ChecksumIEEE(raw) != c.CRC32 {
				t.Errorf("%s: %d updates, want %d: %v, %v", c.File, len(got), c.Updates, got, err)
			}
			continue
		}
		for _, word := range c.Words {
			if err == nil || !strings.Contains(err.Error(), word) {
				t.Errorf("%s: %v, want it to name %s", c.File, err, word)
			}
		}
		if !errors.Is(err, datasets.ErrUnsupported) && !errors.Is(err, datasets.ErrOptions) && !errors.Is(err, datasets.ErrFormat) {
			t.Errorf("%s: %v", c.File, err)
		}
	}
	if len(cases) == 0 {
		t.Error("no case")
	}
}
