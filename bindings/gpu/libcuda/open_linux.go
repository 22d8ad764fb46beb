package libcuda

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/ebitengine/purego"
)

// open loads a shared library: by name from where the system looks for libraries, or by an absolute
// path. The C library keeps the reason of a failure for each thread apart.
func open(path string) (uintptr, error) {
	if strings.Contains(path, "/") && !filepath.IsAbs(path) {
		return 0, fmt.Errorf("it depends on the working folder: use an absolute path")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func lookup(library uintptr, name string) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlsym(library, name)
}
