package model

import (
	"embed"
	"fmt"
	"sync"
)

// The pattern takes the folder, so that it may hold no model at all.
//
//go:embed embedded
var embedded embed.FS

// decoded caches the embedded models by name, as funcs of type func() (*Model, error).
var decoded sync.Map

// Embedded returns the model that comes with the library for the device of that name. The model is
// shared: callers leave it as it is. Errors wrap ErrNoModel where there is none.
func Embedded(name string) (*Model, error) {
	once, _ := decoded.LoadOrStore(name, sync.OnceValues(func() (*Model, error) {
		path := "embedded/" + name + ".json.gz"
		data, err := embedded.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("%w for %q", ErrNoModel, name)
		}
		m, err := Decode(data)
		if err == nil && m.Device != name {
			err = fmt.Errorf("%w: it was trained for %s", ErrModel, m.Device)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return m, nil
	}))
	return once.(func() (*Model, error))()
}
