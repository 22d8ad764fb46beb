package emit

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/must"
)

// compile builds a program of one source file that is in a folder of its own, and returns its
// path. Where there is no C++ compiler the test is skipped, but not where CI runs.
func compile(t *testing.T, source string, options ...string) (program string) {
	t.Helper()
	compiler, err := exec.LookPath("g++")
	if err != nil {
		if os.Getenv("CI") == "" {
			t.Skip("no g++")
		}
		t.Fatal(err)
	}
	tests := must.Get(filepath.Abs("../test"))(t)
	program = filepath.Join(t.TempDir(), "program")
	must.Do(t, os.WriteFile(program+".cc", []byte(source), 0o644))
	args := append([]string{"-O0", "-std=c++17", "-fno-strict-aliasing", "-Wall", "-Wextra", "-Werror",
		"-Wno-unknown-pragmas", "-I", tests, program + ".cc", "-o", program}, options...)
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%.4000s", err, out)
	}
	return program
}

// emulated is a program's text for a host compiler: shared memory is static, and a launch calls
// emulated::launch.
func emulated(text string) string {
	text = regexp.MustCompile(`extern __shared__( __align__\(16\))? ([\w ]+) (\w+)\[\];`).
		ReplaceAllString(text, "alignas(16) static $2 $3[1 << 18];")
	text = strings.ReplaceAll(text, "  __shared__ ", "  static ")
	for {
		at := strings.Index(text, "<<<")
		if at < 0 {
			return text
		}
		begin := kernelBegin(text, at)
		launch, rest, _ := strings.Cut(text[at+len("<<<"):], ">>>")
		end := strings.Index(rest, ";")
		text = text[:begin] + "emulated::launch(emulated::Launch{" + launch + "}, [&] { " +
			text[begin:at] + rest[:end] + "; })" + rest[end:]
	}
}

// kernelBegin is where the kernel begins whose name, with the parameters of a template, ends at.
func kernelBegin(text string, end int) int {
	depth, i := 0, end
	for ; i > 0; i-- {
		switch c := text[i-1]; {
		case c == '>':
			depth++
		case c == '<':
			depth--
		case depth == 0 && c != '_' && c != ':' && !('a' <= c && c <= 'z') && !('A' <= c && c <= 'Z') &&
			!('0' <= c && c <= '9'):
			return i
		}
	}
	return i
}

// standard includes what programs include.
func standard() string {
	var b strings.Builder
	files := map[string]bool{"cstddef": true, "cstdint": true}
	for _, file := range facilities {
		files[file] = true
	}
	for file := range files {
		fmt.Fprintf(&b, "#include <%s>\n", file)
	}
	return b.String()
}

var included = regexp.MustCompile(`(?m)^#include .*\n`)

const emulation = "#include \"emulated_runtime.h\"\n#include \"emulated_cub.h\"\n"

// runEmulated compiles programs into one and runs them one after the other. It returns their exit
// codes and what they print.
func runEmulated(t *testing.T, programs []string) (codes []int, output string) {
	t.Helper()
	var b, main strings.Builder
	b.WriteString(standard() + emulation)
	for i, p := range programs {
		p = included.ReplaceAllString(emulated(p), "")
		p = strings.Replace(p, "int main(int argc", "int run(int argc", 1)
		fmt.Fprintf(&b, "namespace program%d {\n%s}\n", i, p)
		main.WriteString("  emulated::allowed = emulated::plain_shared;\n")
		fmt.Fprintf(&main, "  std::printf(\"=%%d\\n\", program%d::run(1, argv));\n", i)
	}
	fmt.Fprintf(&b, "int main(int, char** argv) {\n%s}\n", main.String())
	return exitCodes(t, compile(t, b.String()))
}

// exitCodes runs the program, which prints lines =CODE between others.
func exitCodes(t *testing.T, program string) (codes []int, output string) {
	t.Helper()
	var stderr bytes.Buffer
	command := exec.Command(program)
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, stderr.String())
	}
	for line := range strings.Lines(string(out)) {
		var code int
		if n, _ := fmt.Sscanf(line, "=%d", &code); n == 1 {
			codes = append(codes, code)
		}
	}
	return codes, string(out)
}
