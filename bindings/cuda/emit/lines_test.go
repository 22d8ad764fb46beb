package emit

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/bindings/cuda"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/must"
)

// emulatedHeaders writes the headers for a host compiler, and returns their folder.
func emulatedHeaders(t *testing.T) string {
	t.Helper()
	names, err := fs.Glob(cuda.Headers, "*.cuh")
	if err != nil || len(names) < 10 {
		t.Fatalf("%d headers, %v", len(names), err)
	}
	folder := t.TempDir()
	for _, name := range names {
		text := must.Get(fs.ReadFile(cuda.Headers, name))(t)
		code := strings.ReplaceAll(emulated(string(text)), "#include <cub/", "// <")
		must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte(code), 0o644))
	}
	return folder
}

// pasted is a function around the lines, and the call that compares the sums with serial ones.
func pasted(p *Program, lines []string, number int) (includes, function, call string) {
	var b strings.Builder
	element, value, before := p.element(), "1 + u % 3", 7 // what the call clears
	if p.ones() {
		value = "1"
	}
	if p.Call.Call.Keeps {
		before = 0
	}
	fmt.Fprintf(&b, "int paste%d(const std::vector<uint32_t>& host_index) {\n", number)
	b.WriteString("  const size_t n = host_index.size();\n")
	b.WriteString("  const uint32_t* index = host_index.data();\n")
	fmt.Fprintf(&b, "  std::vector<%s> sums(%d, %d), wanted(%d), added(n), before(n);\n", element, p.Bins,
		before, p.Bins)
	fmt.Fprintf(&b, "  for (size_t u = 0; u < n; ++u) {\n    added[u] = %s(%s);\n"+
		"    if (index[u] < %d) wanted[index[u]] += added[u];\n  }\n", "static_cast<"+element+">", value, p.Bins)
	fmt.Fprintf(&b, "  %s *const A = sums.data(), *const values = added.data();\n", element)
	fmt.Fprintf(&b, "  %s* const old = before.data();\n  (void)old, (void)values;\n", element)
	for _, line := range lines {
		if strings.HasPrefix(line, "#include") {
			includes += line + "\n"
		} else {
			b.WriteString("  " + line + "\n")
		}
	}
	b.WriteString("  return sums == wanted ? 0 : 1;\n}\n")
	stream := "wild"
	if p.Implementation.Scatter { // whose order is made on the host, which refuses these
		stream = "stream"
	}
	return includes, emulated(b.String()), fmt.Sprintf("  std::printf(\"=%%d\\n\", paste%d(%s));\n", number, stream)
}

// TestLines compiles the lines to paste, and runs them on the emulated warp, with indices beyond the targets.
func TestLines(t *testing.T) {
	var includes, functions, calls strings.Builder
	var some []device.Call
	for i, e := range emulatedPrograms {
		if i%4 != 0 && !golden.Full() {
			continue
		}
		some = append(some, e.call)
		p := testProgram(t, e.name, e.call, 136)
		lines := must.Get(p.Lines())(t)
		include, function, call := pasted(p, lines, i)
		includes.WriteString(include)
		functions.WriteString(function)
		calls.WriteString("  emulated::allowed = emulated::plain_shared;\n" + call)
	}
	source := standard() + emulation + includes.String() + functions.String() +
		"int main() {\n  std::vector<uint32_t> stream(301);\n" +
		"  for (size_t u = 0; u < stream.size(); ++u) {\n" +
		"    stream[u] = uint32_t(u % 5 == 0 ? u * 7 % 136 : 77);\n  }\n" +
		"  std::vector<uint32_t> wild = stream;\n" +
		"  for (size_t u = 2; u < wild.size(); u += 7) wild[u] = u % 2 ? 136 + uint32_t(u) : UINT32_MAX;\n" +
		calls.String() + "}\n"
	codes, output := exitCodes(t, compile(t, source, "-I", emulatedHeaders(t)))
	if len(codes) != len(some) {
		t.Fatalf("%d calls ran\n%s", len(codes), output)
	}
	for i, code := range codes {
		if code != 0 {
			t.Errorf("the lines of %+v give wrong sums", some[i])
		}
	}
}

// TestLine compares the lines of some calls with what one would write by hand.
func TestLine(t *testing.T) {
	for _, c := range []struct {
		name string
		call device.Call
		want []string
	}{
		{"private:r=16,pad=1", device.Call{Type: device.F32}, []string{
			`#include "atomtune_kernels.cuh"`, "using namespace atomtune;",
			"cudaMemsetAsync(A, 0, 136 * sizeof(float));",
			"update_private<Naive, 4><<<4, 64, 8768>>>(A, below(index, 136), Loaded<float>{values}, n, " +
				"Copies{136, 16, 1, false});"}},
		{"match", device.Call{Operand: device.One, Returns: true, Keeps: true}, []string{
			`#include "atomtune_kernels.cuh"`, "using namespace atomtune;",
			"fetch_update_global<Match, 4><<<4, 64>>>(A, below(index, 136), Ones{}, old, n);"}},
		{"sort", device.Call{Operand: device.One}, []string{
			`#include "atomtune_sort.cuh"`, "using namespace atomtune;", "size_t bytes = 0;",
			"update_sort(nullptr, bytes, A, index, One{}, n, 136);", "unsigned char* memory = nullptr;",
			"cudaMalloc(&memory, bytes);", "cudaMemsetAsync(A, 0, 136 * sizeof(uint32_t));",
			"update_sort(memory, bytes, A, index, One{}, n, 136, nullptr, Finish::add);"}},
	} {
		lines, err := testProgram(t, c.name, c.call, 136).Lines()
		if got, want := strings.Join(lines, "\n"), strings.Join(c.want, "\n"); err != nil || got != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.name, err, got, want)
		}
	}
}

// TestPlainShared: a block has 48 KiB of shared memory without asking for it, and asks for a byte more.
func TestPlainShared(t *testing.T) {
	for bytes, asks := range map[uint64]bool{48<<10 - 4: false, 48 << 10: false, 48<<10 + 4: true} {
		for _, v := range []impl.Spec{{Algorithm: impl.Private}, {Algorithm: impl.Private, Ranges: 2},
			{Algorithm: impl.Hot, Slots: 64}, {Algorithm: impl.ThreadPrivate}} {
			c := Call{Implementation: v, Shape: device.Shape{Blocks: 4, Threads: 64, SharedBytes: bytes}, Bins: 100}
			lines := strings.Join(must.Get(c.Lines())(t), "\n")
			if strings.Contains(lines, "cudaFuncSetAttribute") != asks ||
				asks && !strings.Contains(lines, fmt.Sprintf("SharedMemorySize, %d);", bytes)) ||
				!strings.Contains(lines, fmt.Sprintf("<<<4, 64, %d>>>", bytes)) {
				t.Errorf("%s of %d bytes:\n%s", v, bytes, lines)
			}
		}
	}
}
