package driver

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/atomtune/atomtune/probe/gpu"
)

// module is a loaded module.
type module struct {
	handle  uintptr
	kernels map[string]*kernel
}

// load returns the module, which the driver compiles for its GPU if it is not
// loaded yet.
func (g *GPU) load(name string) (*module, error) {
	if m := g.modules[name]; m != nil {
		return m, nil
	}
	text, err := g.settings.Image(name)
	if err != nil {
		return nil, err
	}
	image := append(text[:len(text):len(text)], 0) // the driver reads up to a NUL
	m := &module{kernels: map[string]*kernel{}}
	options := g.log.reset()
	err = g.call(cuModuleLoadDataEx, uintptr(unsafe.Pointer(&m.handle)), uintptr(unsafe.Pointer(&image[0])),
		options, uintptr(unsafe.Pointer(&g.log.names[0])), uintptr(unsafe.Pointer(&g.log.values[0])))
	if err != nil {
		return nil, g.refused(name, text, err)
	}
	g.modules[name] = m
	if g.settings.Loaded != nil {
		return m, g.settings.Loaded(name)
	}
	return m, nil
}

// refused says why the driver does not take a module: it is too old for the PTX,
// or what its compiler wrote.
func (g *GPU) refused(name string, text []byte, err error) error {
	failed, ok := err.(*failure)
	if !ok {
		return fmt.Errorf("module %s: %w", name, err)
	}
	if failed.code == unsupportedPTXVersion || failed.code == invalidPTX || failed.code == noBinaryForGPU {
		version, target := header(text)
		d := g.description
		kind, advice := gpu.ErrOldDriver, "update the driver"
		if failed.code != unsupportedPTXVersion && !strings.Contains(g.log.text(), ".version") {
			kind, advice = gpu.ErrModule, "update the driver, or report the fault"
		}
		return fmt.Errorf("%w: driver %s (CUDA %s) refuses module %s, PTX %s for %s, on %s of compute capability %d.%d (%s)%s: %s",
			kind, d.Driver, d.CUDA, name, version, target, d.Name, d.Major, d.Minor, failed.sentence, g.log.quoted(), advice)
	}
	return fmt.Errorf("module %s: %w%s", name, err, g.log.quoted())
}

// header returns the version and the target that a module's text asks for.
func header(text []byte) (version, target string) {
	for line := range strings.Lines(string(text)) {
		if v, ok := strings.CutPrefix(line, ".version "); ok {
			version = strings.TrimSpace(v)
		}
		if t, ok := strings.CutPrefix(line, ".target "); ok {
			return version, strings.TrimSpace(t)
		}
	}
	return version, target
}
