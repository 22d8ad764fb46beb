package datasets

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/atomtune/atomtune/internal/must"
)

// mappedBytes is what the process has in memory of files.
func mappedBytes(t *testing.T) int64 {
	t.Helper()
	text := must.Get(os.ReadFile("/proc/self/status"))(t)
	found := regexp.MustCompile(`\nRssFile:\s+(\d+) kB`).FindSubmatch(text)
	if found == nil {
		t.Skip("the system does not say it")
	}
	kib := must.Get(strconv.ParseInt(string(found[1]), 10, 64))(t)
	return kib << 10
}

// TestMappedMemory: of a long file little is in memory at a time, read in order or at any place.
func TestMappedMemory(t *testing.T) {
	const size = 256 << 20
	path := filepath.Join(t.TempDir(), "zeros.u32")
	must.Do(t, errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, size)))
	before := mappedBytes(t)
	most, sum := int64(0), uint32(0)
	look := func(indices []uint32) {
		for i := 0; i < len(indices); i += 1 << 10 {
			sum += indices[i]
		}
		most = max(most, mappedBytes(t)-before)
	}
	for name, read := range map[string]func(r *Reader) error{
		"in order": func(r *Reader) error {
			for indices, err := range r.Chunks() {
				if err != nil {
					return err
				}
				look(indices)
			}
			return nil
		},
		"anywhere": func(r *Reader) error {
			random, block := r.random(), make([]uint32, 256)
			for at := 0; at < random.Len(); at += 1 << 14 {
				if err := random.Read(block, at); err != nil {
					return err
				}
				if at%(1<<21) == 0 {
					look(block)
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := must.Get(Open(path, Options{}))(t)
			most = 0
			if err := errors.Join(read(r), r.Close()); err != nil || sum != 0 {
				t.Errorf("%v, sum %d", err, sum)
			}
			if name == "anywhere" && most == 0 || most > 2*mostMapped {
				t.Errorf("%d bytes of the file were in memory", most)
			}
		})
	}
}
