package dispatch

import (
	"embed"
	"fmt"
	"strings"
)

// The pattern takes the folder, so that it may hold no tree at all.
//
//go:embed embedded
var embedded embed.FS

// Embedded returns the tree that comes with the library for the device of that name. Errors wrap
// ErrNoTree if there is none.
func Embedded(name string) (*Tree, error) {
	data, err := embedded.ReadFile("embedded/" + strings.ToLower(name) + ".json")
	if err != nil {
		return nil, fmt.Errorf("%w for %q, only for %s", ErrNoTree, name,
			strings.Join(Devices(), ", "))
	}
	t, err := Decode(data)
	if err != nil {
		return nil, fmt.Errorf("embedded/%s.json: %w", name, err)
	}
	return t, nil
}

// Devices lists the devices with an embedded tree by name.
func Devices() (list []string) {
	files, _ := embedded.ReadDir("embedded") // the folder is embedded
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), ".json"); ok {
			list = append(list, name)
		}
	}
	return list
}
