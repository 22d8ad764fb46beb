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
	err = g.call(cuModuleLoadDataEx, uintptr(unsafe.Pointer(&m.handle)),
		uintptr(unsafe.Pointer(&image[0])),
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
	if failed.code == unsupportedPTXVersion || failed.code == invalidPTX ||
		failed.code == noBinaryForGPU {
		d := g.description
		kind, advice := gpu.ErrOldDriver, "update the driver"
		if failed.code != unsupportedPTXVersion && !strings.Contains(g.log.quoted(), ".version") {
			kind, advice = gpu.ErrModule, "update the driver, or report the fault"
		}
		return fmt.Errorf("%w: driver %s (CUDA %s) refuses module %s, PTX %s for %s, on %s of compute "+
			"capability %s (%s)%s: %s", kind, d.Driver, d.CUDA, name, directive(text, ".version"),
			directive(text, ".target"), d.Name, d.Capability(), failed.sentence, g.log.quoted(), advice)
	}
	return fmt.Errorf("module %s: %w%s", name, err, g.log.quoted())
}

// directive returns what the first such directive of a module's text asks for.
func directive(text []byte, name string) string {
	_, after, _ := strings.Cut("\n"+string(text), "\n"+name+" ")
	value, _, _ := strings.Cut(after, "\n")
	return strings.TrimSpace(value)
}

// Options of the driver's compiler, CUjit_option of cuda.h.
const (
	errorLogBuffer      = 5
	errorLogBufferBytes = 6
)

const logBytes = 8192

// compileLog takes what the driver's compiler writes about errors. It is part of
// a GPU, which does not move, so that the driver can keep its address.
type compileLog struct {
	names  [2]uint32
	values [2]uintptr // of each option: a pointer, or a number in its place
	buffer [logBytes]byte
}

// reset empties the log and sets the options, whose number it returns.
func (c *compileLog) reset() (options uintptr) {
	clear(c.buffer[:])
	c.names = [2]uint32{errorLogBuffer, errorLogBufferBytes}
	c.values = [2]uintptr{uintptr(unsafe.Pointer(&c.buffer[0])), logBytes}
	return uintptr(len(c.names))
}

// quoted is the log as part of a sentence, on one line.
func (c *compileLog) quoted() string {
	words := strings.Join(strings.Fields(cString(c.buffer[:])), " ")
	if words == "" {
		return ""
	}
	return ", whose compiler says: " + words
}
