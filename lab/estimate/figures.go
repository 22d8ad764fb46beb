package estimate

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/strictjson"
)

// File is what documents say of several GPUs.
type File struct {
	Documents map[string]string `json:"documents"` // by key
	// Groups hold what several devices have in common.
	Groups  map[string]Group `json:"groups"`
	Devices []Device         `json:"devices"`
}

// Group is what documents say of several devices. Facts are by their place in a profile, core.sms.
type Group struct {
	Facts map[string]Figure `json:"facts"`
	// The types of which documents say that they are added natively.
	NativeShared map[device.Type]Instruction `json:"native_shared,omitempty"`
	NativeGlobal map[device.Type]Instruction `json:"native_global,omitempty"`
}

// Device is what documents say of one.
type Device struct {
	Name         string   `json:"name"`
	Title        string   `json:"title"` // as its driver names it
	Vendor       string   `json:"vendor"`
	Architecture string   `json:"architecture"`
	Groups       []string `json:"groups"` // of which it is
	Group
	// What no profile holds: the published bandwidth of memory, and what L2 reads in a cycle.
	DRAMRate  *Figure `json:"dram_bytes_per_second"`
	L2PerTurn *Figure `json:"l2_bytes_per_cycle,omitempty"`
}

// Figure is one figure with its document.
type Figure struct {
	Value     json.RawMessage `json:"value"` // a number, or whether it can
	Document  string          `json:"document"`
	Where     string          `json:"where"`
	Rationale string          `json:"rationale"`
}

// Instruction adds natively.
type Instruction struct {
	Instruction string `json:"instruction"`
	Document    string `json:"document"`
	Where       string `json:"where"`
	Rationale   string `json:"rationale"`
}

//go:embed figures.json
var embedded []byte

// Public returns the figures of the built-in estimates, of the GPUs that were measured, and of one
// that papers describe.
func Public() (*File, error) {
	f := new(File)
	return f, f.Add(embedded)
}

// Add takes in another file of figures: what both have is the other's. Its devices may be of groups,
// and its figures of documents, that were there before. Errors wrap ErrFigures.
func (f *File) Add(data []byte) error {
	more := new(File)
	if err := strictjson.Decode(data, more); err != nil {
		return fmt.Errorf("%w: %w", ErrFigures, err)
	}
	f.Documents, f.Groups = merged(f.Documents, more.Documents), merged(f.Groups, more.Groups)
	for i := range more.Devices {
		d := &more.Devices[i]
		if err := f.complete(d); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrFigures, d.Name, err)
		}
		f.Devices = slices.DeleteFunc(f.Devices, func(old Device) bool { return old.Name == d.Name })
	}
	f.Devices = append(f.Devices, more.Devices...)
	return nil
}

// merged returns what both maps hold, of what both have the second one's.
func merged[K comparable, V any](of, more map[K]V) map[K]V {
	all := make(map[K]V, len(of)+len(more))
	maps.Copy(all, of)
	maps.Copy(all, more)
	return all
}

// complete adds to a device what its groups say, and checks that each figure has a document.
func (f *File) complete(d *Device) error {
	var all Group
	for _, name := range d.Groups {
		g, ok := f.Groups[name]
		if !ok {
			return fmt.Errorf("there is no group %q", name)
		}
		all.add(g)
	}
	all.add(d.Group)
	d.Group = all
	if d.Name == "" || d.Title == "" || d.Vendor == "" || d.Architecture == "" {
		return fmt.Errorf("name, title, vendor and architecture must be given")
	}
	for _, place := range []string{"core.sms", "memory.l2_bytes"} {
		if _, ok := d.Facts[place]; !ok {
			return fmt.Errorf("%s is missing", place)
		}
	}
	if d.DRAMRate == nil {
		return fmt.Errorf("dram_bytes_per_second is missing")
	}
	for place, figure := range d.Facts {
		if err := f.check(place, figure.Document, figure.Where, figure.Rationale); err != nil {
			return err
		}
	}
	for _, figure := range []*Figure{d.DRAMRate, d.L2PerTurn} {
		if figure == nil {
			continue
		}
		if v, err := figure.number(); err != nil || !(v > 0) {
			return fmt.Errorf("%s is not a positive number", figure.Value)
		}
		if err := f.check("rate "+string(figure.Value), figure.Document, figure.Where, figure.Rationale); err != nil {
			return err
		}
	}
	for _, list := range []map[device.Type]Instruction{d.NativeShared, d.NativeGlobal} {
		for t, i := range list {
			if err := f.check(t.String(), i.Document, i.Where, i.Rationale); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *Group) add(more Group) {
	g.Facts = merged(g.Facts, more.Facts)
	g.NativeShared = merged(g.NativeShared, more.NativeShared)
	g.NativeGlobal = merged(g.NativeGlobal, more.NativeGlobal)
}

func (f *File) check(what, document, where, rationale string) error {
	if _, ok := f.Documents[document]; !ok {
		return fmt.Errorf("%s: \"documents\" does not list %q", what, document)
	}
	if where == "" || rationale == "" {
		return fmt.Errorf("%s: \"where\" and \"rationale\" must be given", what)
	}
	return nil
}

func (f *File) source(document, where string) string { return f.Documents[document] + ", " + where }

func (f *Figure) number() (v float64, err error) {
	err = json.Unmarshal(f.Value, &v)
	return v, err
}

// Device returns the figures of the device of that name. Errors wrap device.ErrUnknown.
func (f *File) Device(name string) (*Device, error) {
	var names []string
	for i := range f.Devices {
		if f.Devices[i].Name == name {
			return &f.Devices[i], nil
		}
		names = append(names, f.Devices[i].Name)
	}
	slices.Sort(names)
	return nil, fmt.Errorf("%w %q: there are public figures of %s", device.ErrUnknown, name,
		strings.Join(names, ", "))
}
