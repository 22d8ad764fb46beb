package model

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"sync"
)

// The pattern takes the folder, so that it may hold no model at all.
//
//go:embed embedded
var embedded embed.FS

// decoded caches the embedded models by name, as funcs of type
// func() (*Model, error).
var decoded sync.Map

// Embedded returns the model that comes with the library for the device
// of that name. The model is shared: callers leave it as it is. Errors wrap
// ErrNoModel where there is none.
func Embedded(name string) (*Model, error) {
	once, ok := decoded.Load(name)
	if !ok {
		once, _ = decoded.LoadOrStore(name, sync.OnceValues(func() (*Model, error) {
			return modelIn(embedded, name)
		}))
	}
	return once.(func() (*Model, error))()
}

// modelIn reads the model of that name from a file system like the embedded
// one.
func modelIn(files fs.FS, name string) (*Model, error) {
	for _, suffix := range []string{".json", ".json.gz"} {
		path := "embedded/" + name + suffix
		data, err := fs.ReadFile(files, path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
			continue
		}
		if err != nil {
			return nil, invalid("%v", err)
		}
		m, err := Decode(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if m.Device != name {
			return nil, fmt.Errorf("%s: %w: it was trained for %s", path, ErrModel, m.Device)
		}
		return m, nil
	}
	return nil, fmt.Errorf("%w for %q", ErrNoModel, name)
}
