package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/atomtune/atomtune/internal/wholefile"
)

// machineCode keeps what the driver makes of each module, as files for cuobjdump; nil keeps
// nothing. It reads the driver's own cache, since the driver's linker, which would hand the code
// over, compiles otherwise: additions whose result nobody uses stay ATOMG there, and become RED
// when a module is loaded.
type machineCode struct {
	folder string          // for the files
	cache  string          // of the driver, for this process alone
	seen   map[string]bool // files of the cache
}

// newMachineCode gives the driver, which must not be loaded yet, an empty cache, if a
// folder is given.
func newMachineCode(folder string) (*machineCode, error) {
	if folder == "" {
		return nil, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	cache, err := os.MkdirTemp("", "atomprobe-cache-")
	if err != nil {
		return nil, err
	}
	wholefile.Temporary(cache)
	m := &machineCode{folder: folder, cache: cache, seen: map[string]bool{}}
	return m, errors.Join(os.Setenv("CUDA_CACHE_PATH", cache), os.Setenv("CUDA_CACHE_DISABLE", "0"))
}

func (m *machineCode) end() {
	if m != nil {
		_ = os.RemoveAll(m.cache) // a rest of it does no harm
	}
}

func (m *machineCode) keep(module string) error {
	if m == nil {
		return nil
	}
	var code []byte
	err := filepath.WalkDir(m.cache, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || m.seen[path] {
			return err
		}
		text, err := wholefile.Read(path, wholefile.Most)
		if at := bytes.Index(text, []byte("\x7fELF")); at >= 0 {
			code, m.seen[path] = text[at:], true
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("the machine code of module %s: %w", module, err)
	}
	if code == nil {
		return fmt.Errorf("the driver leaves no machine code of module %s in its cache: "+
			"measure without --cubin", module)
	}
	return wholefile.Write(filepath.Join(m.folder, module+".cubin"), code)
}
