package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// Environment variables that the library that stands in for NVIDIA's driver reads. Its
// C sources, in testdata, say what it does and which faults it can be given.
const (
	logVariable   = "STANDIN_LOG"
	faultVariable = "STANDIN_FAULT"
	slowVariable  = "STANDIN_SLOW_US"
	uuidVariable  = "STANDIN_UUID"
)

// errNoCompiler says that there is no C compiler.
var errNoCompiler = errors.New("the tests of the driver need a C compiler, cc")

// skipStandin reports whether tests may be left out for the error: where there is no
// compiler, and no environment variable CI that demands all tests.
func skipStandin(err error) bool { return errors.Is(err, errNoCompiler) && os.Getenv("CI") == "" }

// buildStandin compiles the library into a folder and returns its path. It serves as
// the driver's library and as its management library. defines are macros, such as
// WITHOUT_OCCUPANCY, that leave functions out: in such a library no kernel runs. Errors
// wrap errNoCompiler where there is no C compiler.
func buildStandin(folder string, defines ...string) (string, error) {
	sources, err := filepath.Glob(filepath.Join("testdata", "standin", "*.c"))
	if err != nil || len(sources) == 0 {
		return "", fmt.Errorf("the sources of the stand-in are not found: %v", err)
	}
	path := filepath.Join(folder, "libstandin.so")
	args := []string{"-std=gnu11", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-Wall",
		"-Wextra", "-Werror", "-o", path}
	for _, d := range defines {
		args = append(args, "-O0", "-D"+d)
	}
	if _, err := exec.LookPath("cc"); err != nil {
		return "", fmt.Errorf("%w: %w", errNoCompiler, err)
	}
	out, err := exec.Command("cc", slices.Concat(args, sources, []string{"-lm"})...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("cc: %v: %s", err, out)
	}
	return path, nil
}
