// Package standin builds a library that stands in for NVIDIA's driver, for tests on machines
// without a GPU: its device memory is the host's, and its kernels are C that performs the updates
// one after the other. The C sources, in testdata, say which faults it can be given.
package standin

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

//go:embed testdata
var sources embed.FS

// Environment variables that the library reads.
const (
	LogVariable   = "STANDIN_LOG"
	FaultVariable = "STANDIN_FAULT"
	SlowVariable  = "STANDIN_SLOW_US"
	UUIDVariable  = "STANDIN_UUID"
)

// ErrNoCompiler says that there is no C compiler.
var ErrNoCompiler = errors.New("the tests of the driver need a C compiler, cc")

// Skip reports whether tests may be left out for the error: where there is no compiler, and no
// environment variable CI that demands all tests.
func Skip(err error) bool { return errors.Is(err, ErrNoCompiler) && os.Getenv("CI") == "" }

// Run runs the tests of a package with the library in a folder of its own, whose path is in the
// environment variables, and returns their exit code. Where there is no compiler and none is
// demanded, no test runs.
func Run(tests interface{ Run() int }, variables ...string) int {
	folder, err := os.MkdirTemp("", "standin")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(folder)
	path, err := Build(folder)
	for _, name := range variables {
		err = cmp.Or(err, os.Setenv(name, path))
	}
	if err != nil {
		return failed(err)
	}
	return tests.Run()
}

// failed says why no test runs.
func failed(err error) int {
	fmt.Fprintln(os.Stderr, err)
	if Skip(err) {
		fmt.Fprintln(os.Stderr, "the tests of this package are left out")
		return 0
	}
	return 1
}

// Build compiles the library into a folder and returns its path. It serves as the driver's library
// and as its management library. defines are macros, such as WITHOUT_OCCUPANCY, that leave
// functions out: in such a library no kernel runs. Errors wrap ErrNoCompiler where there is no C
// compiler.
func Build(folder string, defines ...string) (string, error) {
	if _, err := exec.LookPath("cc"); err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoCompiler, err)
	}
	code := filepath.Join(folder, "standin")
	if err := os.CopyFS(code, sources); err != nil {
		return "", err
	}
	files, err := filepath.Glob(filepath.Join(code, "testdata", "*.c"))
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "libstandin.so")
	args := []string{"-std=gnu11", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-Wall",
		"-Wextra", "-Werror", "-o", path}
	for _, d := range defines {
		args = append(args, "-O0", "-D"+d)
	}
	out, err := exec.Command("cc", slices.Concat(args, files, []string{"-lm"})...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("cc: %v: %s", err, out)
	}
	return path, nil
}
