// Package standin builds the library that stands in for NVIDIA's driver in tests.
// Its C sources, in testdata, say what it does and which faults it can be given.
package standin

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
)

// Environment variables that the library reads.
const (
	LogVariable   = "STANDIN_LOG"
	FaultVariable = "STANDIN_FAULT"
	SlowVariable  = "STANDIN_SLOW_US"
	UUIDVariable  = "STANDIN_UUID"
)

// ErrCompiler says that there is no C compiler.
var ErrCompiler = errors.New("the tests of the driver need a C compiler, cc")

// Skip reports whether tests may be left out for the error: where there is no
// compiler, and no environment variable CI that demands all tests.
func Skip(err error) bool { return errors.Is(err, ErrCompiler) && os.Getenv("CI") == "" }

// Build compiles the library into a folder and returns its path. It serves as
// the driver's library and as its management library. defines are macros, such as
// WITHOUT_OCCUPANCY, that leave functions out. Errors
// wrap ErrCompiler where there is no C compiler.
func Build(folder string, defines ...string) (string, error) {
	_, here, _, ok := runtime.Caller(0)
	if !ok {
		return "", fmt.Errorf("the sources of the stand-in are not found")
	}
	sources, err := filepath.Glob(filepath.Join(filepath.Dir(here), "testdata", "*.c"))
	if err != nil || len(sources) == 0 {
		return "", fmt.Errorf("the sources of the stand-in are not found: %v", err)
	}
	path := filepath.Join(folder, "libstandin.so")
	args := []string{"-std=gnu11", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-Wall",
		"-Wextra", "-Werror", "-o", path}
	for _, d := range defines {
		args = append(args, "-D"+d)
	}
	if _, err := exec.LookPath("cc"); err != nil {
		return "", fmt.Errorf("%w: %w", ErrCompiler, err)
	}
	out, err := exec.Command("cc", slices.Concat(args, sources, []string{"-lm"})...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("cc: %v: %s", err, out)
	}
	return path, nil
}
