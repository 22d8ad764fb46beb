package device

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/atomtune/atomtune/internal/strictjson"
	"github.com/atomtune/atomtune/internal/wholefile"
)

// The errors of this package.
var (
	ErrType    = errors.New("unknown type")
	ErrUnknown = errors.New("unknown device")
	ErrProfile = errors.New("broken device profile")
	ErrCannot  = errors.New("the device cannot run it")
	// ErrCapability reports a device whose compute capability is not known.
	ErrCapability = errors.New("unknown compute capability")
)

//go:embed profiles/*.json
var embedded embed.FS

// builtin decodes each embedded profile once, by its name, which is the file's.
var builtin = func() map[string]func() (*Profile, error) {
	entries, _ := embedded.ReadDir("profiles") // it is embedded: nothing can fail
	all := map[string]func() (*Profile, error){}
	for _, e := range entries {
		all[strings.TrimSuffix(e.Name(), ".json")] = sync.OnceValues(func() (*Profile, error) {
			data, _ := embedded.ReadFile("profiles/" + e.Name())
			return Decode(data)
		})
	}
	return all
}()

// Default is the device of the commands, and of the libraries where none is named.
const Default = "h200"

// Measured returns the name of the built-in device that was measured on a GPU of that title, "" if there is none.
func Measured(title string) string {
	for _, name := range Names() {
		if p, err := Builtin(name); err == nil && p.Title == title && p.Estimate == nil {
			return name
		}
	}
	return ""
}

// Names lists the built-in devices in alphabetical order.
func Names() []string { return slices.Sorted(maps.Keys(builtin)) }

// Builtin returns the embedded profile of that name, in capitals or not. The profile is shared:
// callers copy it before they change it. Errors wrap ErrUnknown.
func Builtin(name string) (*Profile, error) {
	if decode, ok := builtin[strings.ToLower(name)]; ok {
		return decode()
	}
	return nil, fmt.Errorf("%w %q (want one of %s, or the path of a profile file)",
		ErrUnknown, name, strings.Join(Names(), ", "))
}

// Load returns the built-in profile of that name, or reads the profile file
// at that path. A word without a path separator or a dot is a name.
func Load(nameOrPath string) (*Profile, error) {
	p, err := Builtin(nameOrPath)
	if err == nil || !strings.ContainsAny(nameOrPath, "/\\.") {
		return p, err
	}
	data, err := wholefile.Read(nameOrPath, MostBytes)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrProfile, err)
	}
	if p, err = Decode(data); err != nil {
		return nil, fmt.Errorf("%s: %w", nameOrPath, err)
	}
	return p, nil
}

// MostBytes is how large the file of a profile may be.
const MostBytes = 1 << 20

// named reports whether a word can name a device: lower-case letters, digits, - and _, neither
// sign at its beginning.
func named(word string) bool {
	const first = "abcdefghijklmnopqrstuvwxyz0123456789"
	return word != "" && strings.Contains(first, word[:1]) && strings.Trim(word, first+"-_") == ""
}

// Decode reads one profile. What a file does not say of those quantities that recorded
// calls show is assumed, see Profile.Assume. Errors wrap ErrProfile and name the field.
func Decode(data []byte) (*Profile, error) {
	p := new(Profile)
	if err := strictjson.Decode(data, p); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrProfile, err)
	}
	p.Assume()
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return p, nil
}

// Encode writes the profile as indented JSON, the same bytes each time.
func (p *Profile) Encode() ([]byte, error) {
	data, err := json.MarshalIndent(p, "", "  ")
	return append(data, '\n'), err
}

// Titled returns the built-in profile of a device by its title, which is the name that a driver gives
// an NVIDIA GPU, nil if there is none.
func Titled(title string) (*Profile, error) {
	for _, name := range Names() {
		if p, err := Builtin(name); err != nil || p.Title == title {
			return p, err
		}
	}
	return nil, nil
}

// capabilities are the compute capabilities of the profiles' architectures, of the data-centre GPU
// of each where there are several. Source: NVIDIA CUDA C++ Programming Guide.
var capabilities = map[string][2]int{
	"Fermi": {2, 0}, "Kepler": {3, 0}, "Maxwell": {5, 2}, "Pascal": {6, 0}, "Volta": {7, 0},
	"Turing": {7, 5}, "Ampere": {8, 0}, "Ada": {8, 9}, "Hopper": {9, 0}, "Blackwell": {10, 0},
}

// ComputeCapability returns the compute capability of an NVIDIA GPU's architecture. Errors wrap
// ErrCapability.
func (p *Profile) ComputeCapability() (major, minor int, err error) {
	c, ok := capabilities[p.Architecture]
	if !ok {
		return 0, 0, fmt.Errorf("%w: architecture %q of %s, known are %s", ErrCapability,
			p.Architecture, p.Name, strings.Join(slices.Sorted(maps.Keys(capabilities)), ", "))
	}
	return c[0], c[1], nil
}
