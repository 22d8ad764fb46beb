package ptx

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/must"
)

// sources lists the modules that cuda/kernels asks for.
func sources(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../kernels/*.cu")
	if err != nil || len(files) == 0 {
		t.Fatalf("no kernels were found: %v", err)
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), ".cu")
	}
	slices.Sort(files)
	return files
}

// TestModules: each file of cuda/kernels has its module, and no other is there.
func TestModules(t *testing.T) {
	if got, want := Modules(), sources(t); !slices.Equal(got, want) {
		t.Errorf("modules %v, kernels %v: run script/ptx, and remove what has no source", got, want)
	}
}

// TestFresh: every module was made from its source, and from the headers that
// this includes, as they are now.
func TestFresh(t *testing.T) {
	for _, name := range Modules() {
		m := must.Get(Load(name))(t)
		if m.Compiler == "" || m.Flags == "" {
			t.Errorf("%s: compiler %q, flags %q", name, m.Compiler, m.Flags)
		}
		for _, path := range included(t, "kernels/"+name+".cu") {
			text := must.Get(os.ReadFile(filepath.Join("..", path)))(t)
			hash := sha256.Sum256(text)
			if got, want := m.Sources[path], hex.EncodeToString(hash[:]); got != want {
				t.Errorf("%s was made from another %s (%q, now %q): run script/ptx %s", name, path, got, want,
					name)
			}
		}
	}
}

var include = regexp.MustCompile(`(?m)^\s*#\s*include\s+"([^"]+)"`)

// included returns the path below cuda and those of all that the file includes.
func included(t *testing.T, path string) []string {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join("..", path)))(t)
	all := []string{path}
	for _, found := range include.FindAllSubmatch(text, -1) {
		for _, p := range included(t, filepath.Join(filepath.Dir(path), string(found[1]))) {
			if !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return all
}

// TestKernels: no module asks for a newer driver or GPU than its instructions do; all code stands in kernels, so
// that a kernel's instructions are those that it runs; a kernel has one home; and of all kernels one measures
// barriers: the barrier before a pass of the others is not what they are there for.
func TestKernels(t *testing.T) {
	home := map[string]string{}
	for _, name := range Modules() {
		m := must.Get(Load(name))(t)
		if fault := headerFault(m); fault != "" || len(m.Kernels) == 0 {
			t.Errorf("%s of %d kernels: %s", name, len(m.Kernels), fault)
		}
		for _, k := range m.Kernels {
			if home[k.Name] != "" {
				t.Errorf("%s is in %s and in %s", k.Name, home[k.Name], name)
			}
			home[k.Name] = name
			if slices.ContainsFunc(k.Instructions, func(i Instruction) bool { return family(i.Opcode) == "call" }) {
				t.Errorf("%s: %s calls a function", name, k.Name)
			}
			if barrier := strings.Contains(Atomics(name, k.Name), "bar.sync"); barrier != (k.Name == "warp_barrier") {
				t.Errorf("%s names barriers: %t", k.Name, barrier)
			}
		}
	}
}

// TestHeaderFault: a header that was left as the compiler wrote it is found.
func TestHeaderFault(t *testing.T) {
	for _, c := range []struct{ version, target, body, fault string }{
		{"6.0", "sm_60", "atom.shared.add.u32 %r1, [%rd1], 1;", ""},
		{"9.0", "sm_60", "atom.shared.add.u32 %r1, [%rd1], 1;", ".version is 9.0"},
		{"6.0", "sm_75", "red.global.add.f64 [%rd1], %fd1;", ".target is sm_75"},
		{"6.0", "sm_70", "match.any.sync.b32 %r1, %r2, -1;", ""},
		{"6.0", "sm_60", "match.any.sync.b32 %r1, %r2, -1;", "need sm_70"},
		{"6.0", "sm_60", "activemask.b32 %r1;", "need 6.2"},
		{"6.3", "sm_70", "activemask.b32 %r1;", ".version is 6.3"},
		{"7.0", "sm_80", "redux.sync.add.s32 %r1, %r2, -1;", ""},
		{"6.0", "sm_60", "tcgen05.wait;", "say nothing of tcgen05.wait"},
	} {
		text := ".version " + c.version + "\n.target " + c.target + "\n.visible .entry k()\n{\n" +
			c.body + "\n}\n"
		m := must.Get(Parse("k.ptx", []byte(text)))(t)
		if fault := headerFault(m); (fault == "") != (c.fault == "") ||
			!strings.Contains(fault, c.fault) {
			t.Errorf("%s at %s %s: %q, want %q", c.body, c.version, c.target, fault, c.fault)
		}
	}
}
