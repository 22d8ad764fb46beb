package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

var (
	errOptions = errors.New("bad options")
	errFile    = errors.New("bad\n\tfile")
)

// counter is a program with one command, count, which counts its arguments. A
// name in failures makes it fail.
var counter = Program{
	Name: "counter", WrongUse: []error{errOptions}, Topic: "count",
}

var failures = map[string]error{
	"options": fmt.Errorf("sample 1: %w", errOptions),
	"file":    errFile,
	"usage":   fmt.Errorf("count: %w", Usagef("%d is too many", 3)),
	"missing": fmt.Errorf("--model: %w", &fs.PathError{Op: "open", Path: "a b", Err: fs.ErrNotExist}),
	"locked":  &fs.PathError{Op: "open", Path: "a", Err: syscall.EACCES},
	"folder":  &fs.PathError{Op: "read", Path: "a", Err: syscall.EISDIR},
	"several": Faults{errFile, fmt.Errorf("two: %w", errOptions), errFile},
	"wrong":   Faults{fmt.Errorf("one: %w", errOptions), Usagef("two")},
	"partly":  Faults{Usagef("one"), Usagef("two")}.Partly(),
}

type countDocument struct {
	Arguments int `json:"arguments"`
}

func newRoot(e *Env) *cobra.Command {
	count := &cobra.Command{Use: "count", Short: "Count", Long: "count counts <its> arguments.\n.dot begins a line, \\ is none",
		Args: cobra.ArbitraryArgs}
	count.Flags().Int("least", 0, "at least")
	count.Flags().String("unit", "", "of what")
	count.RunE = Action(func(_ *cobra.Command, args []string) error {
		if n, _ := count.Flags().GetInt("least"); n > 0 {
			return e.Emit(n, func(w *bytes.Buffer) { fmt.Fprintln(w, n) })
		}
		for _, a := range args {
			if err := failures[a]; err != nil {
				return err
			}
		}
		return e.Emit(countDocument{len(args)}, func(w *bytes.Buffer) { fmt.Fprintln(w, len(args)) })
	})
	nothing := &cobra.Command{Use: "nothing", Args: NoArguments,
		RunE: Action(func(*cobra.Command, []string) error { return nil })}
	hidden := &cobra.Command{Use: "secret", Hidden: true, RunE: nothing.RunE}
	root := &cobra.Command{Use: "counter COMMAND"}
	topic := Topic("counting", count, "least")
	topic.Short, topic.Long = "Counting", "Arguments are counted."
	Hide(count, "least")
	root.AddCommand(count, nothing, hidden, topic)
	e.Equip(root)
	return root
}

// run carries out one command line of counter.
func run(to io.Writer, line string) (stderr string, code int) {
	var errs bytes.Buffer
	e := Env{Program: &counter, Stdout: to, Stderr: &errs, Now: time.Now}
	code = e.RunContext(context.Background(), newRoot(&e), strings.Fields(line))
	return errs.String(), code
}

// TestExitCodes: an error is one line in plain words, begins with the program's
// name, and has its exit code.
func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		line  string
		code  int
		words string // a line each
	}{
		{"count options", ExitUsage, "sample 1: bad options"},
		{"count usage", ExitUsage, "count: 3"},
		{"count several", ExitFailed, "bad file\ntwo: bad options"},
		{"count wrong", ExitUsage, "one: bad options\ntwo"},
		{"count partly", ExitFailed, "one\ntwo"},
		{"count missing", ExitFailed, "--model: a b: "},
		{"count locked", ExitFailed, "a: "},
		{"count folder", ExitFailed, "a: "},
		{"count --most 3", ExitUsage, "--most"},
		{"count --leest 3", ExitUsage, "--least"},
		{"count -leest=3", ExitUsage, "--least"},
		{"count --least 64K", ExitUsage, "64Ki"},
		{"count --least -1.5", ExitUsage, "whole"},
		{"count --least x", ExitUsage, "--least"},
		{"count --least 99999999999999999999", ExitUsage, "99999999999999999999"},
		{"count --json=perhaps", ExitUsage, "perhaps"},
		{"count --unit=", ExitUsage, "--unit"},
		{"nothing more", ExitUsage, "more"},
		{"version now", ExitUsage, "now"},
		{"completion tcsh", ExitUsage, "tcsh"},
		{"help count less", ExitUsage, "less"},
	} {
		var stdout bytes.Buffer
		stderr, code := run(&stdout, c.line)
		got, words := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n"), strings.Split(c.words, "\n")
		if code != c.code || len(got) != len(words) || stdout.Len() > 0 || strings.Contains(stderr, "strconv") {
			t.Errorf("%s: exit code %d, want %d; standard error %q", c.line, code, c.code, stderr)
			continue
		}
		for i, w := range words {
			if !strings.HasPrefix(got[i], "counter: ") || !strings.Contains(got[i], w) {
				t.Errorf("%s: %q, want %q", c.line, got[i], w)
			}
		}
	}
}

// TestQuantities: flags of whole numbers take units and exponents, and else what they took.
func TestQuantities(t *testing.T) {
	for text, want := range map[string]string{"7": "7", "64k": "64000", "64KiB": "65536", "1e6": "1000000", "0x10": "16"} {
		var stdout bytes.Buffer
		if stderr, code := run(&stdout, "count --least "+text); code != ExitDone || stdout.String() != want+"\n" {
			t.Errorf("%s: %q, want %s; exit code %d, %s", text, stdout.String(), want, code, stderr)
		}
	}
}

// TestNoUTF8: JSON has U+FFFD for invalid UTF-8, as the help of --json says, and text shows the
// byte.
func TestNoUTF8(t *testing.T) {
	for json, want := range map[bool]string{true: "\"a\\ufffdb\"\n", false: "a\\xffb"} {
		var stdout bytes.Buffer
		e := Env{Program: &counter, Stdout: &stdout, JSON: json}
		if err := e.Emit("a\xffb", func(w *bytes.Buffer) { w.WriteString("a\xffb") }); err != nil || stdout.String() != want {
			t.Errorf("JSON %t: %q, %v, want %q", json, stdout.String(), err, want)
		}
	}
}

// TestExitCode: of a program without errors of wrong use each error of an action is a failure.
func TestExitCode(t *testing.T) {
	plain := Program{Name: "plain"}
	for name, err := range failures {
		want := ExitFailed
		if name == "usage" {
			want = ExitUsage
		}
		if got := plain.ExitCode(&actionError{err}); got != want {
			t.Errorf("%s: exit code %d, want %d", name, got, want)
		}
		if got := plain.ExitCode(err); got != ExitUsage {
			t.Errorf("%s outside of an action: exit code %d, want %d", name, got, ExitUsage)
		}
	}
}

// TestResults: every command prints its result as text, and with --json one
// document with the same and nothing else.
func TestResults(t *testing.T) {
	for line, key := range map[string]string{"count a b": "arguments", "version": "version", "help count": "help",
		"count --help": "help", "--version": "version"} {
		var text, document bytes.Buffer
		for stdout, line := range map[*bytes.Buffer]string{&text: line, &document: line + " --json"} {
			if stderr, code := run(stdout, line); code != ExitDone || stderr != "" {
				t.Fatalf("%s: exit code %d, %s", line, code, stderr)
			}
		}
		if strings.Contains(document.String(), `\u003c`) {
			t.Errorf("%s --json: characters are escaped", line)
		}
		dec := json.NewDecoder(&document)
		var doc map[string]any
		if err := dec.Decode(&doc); err != nil || dec.More() {
			t.Fatalf("%s --json: %v", line, err)
		}
		value := fmt.Sprint(doc[key])
		if value == "" || !strings.Contains(text.String(), value) {
			t.Errorf("%s prints %q, its document has %q", line, text.String(), value)
		}
	}
}

// TestCompletion: there is a script for every shell.
func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		var stdout bytes.Buffer
		if stderr, code := run(&stdout, "completion "+shell); code != ExitDone || !strings.Contains(stdout.String(), "counter") {
			t.Errorf("%s: exit code %d, %s", shell, code, stderr)
		}
	}
}

// TestMan: there is a page of the program and of each command that help shows, in which every flag
// stands, and no line of a text is taken for a command of roff.
func TestMan(t *testing.T) {
	var stdout bytes.Buffer
	if stderr, code := run(&stdout, "man --json"); code != ExitDone {
		t.Fatal(stderr)
	}
	var doc manDocument
	if err := json.Unmarshal(stdout.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	for _, p := range doc.Pages {
		pages[p.File] = p.Text
	}
	if pages["counter.1"] == "" || pages["counter-counting.1"] == "" || pages["counter-secret.1"] != "" {
		t.Errorf("the pages are %v", slices.Collect(maps.Keys(pages)))
	}
	for _, want := range []string{".TH \"COUNTER-COUNT\" \"1\"", "counter count [flags]", "\n\\&.dot begins a line",
		"--unit", "--json"} {
		if !strings.Contains(pages["counter-count.1"], want) {
			t.Errorf("%q is missing in\n%s", want, pages["counter-count.1"])
		}
	}
	if stderr, code := run(&stdout, "man nothings"); code != ExitUsage || !strings.Contains(stderr, "nothings") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

// full takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestOutputThatFails(t *testing.T) {
	for _, line := range []string{"count", "count --json", "version"} {
		if stderr, code := run(full{}, line); code != ExitFailed || !strings.Contains(stderr, "no space") {
			t.Errorf("%s: exit code %d, %s", line, code, stderr)
		}
	}
}

// TestSource: a version says from which revision it was built, where that is known.
func TestSource(t *testing.T) {
	for want, v := range map[string]versionDocument{
		"v1.2.3":                           {Version: "v1.2.3", Modified: true},
		"(devel) (revision abc)":           {Version: "(devel)", Revision: "abc"},
		"(devel) (revision abc, modified)": {Version: "(devel)", Revision: "abc", Modified: true},
	} {
		if got := v.source(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got, want := counter.Built(), "counter "+buildVersion().source(); got != want {
		t.Errorf("built from %q, want %q", got, want)
	}
}

// TestCompleteFlag: a shell that asks is offered the words of a flag.
func TestCompleteFlag(t *testing.T) {
	offers := func(args ...string) string {
		var stdout bytes.Buffer
		e := Env{Program: &counter, Stdout: &stdout, Stderr: io.Discard}
		root := &cobra.Command{Use: "try"}
		sub := &cobra.Command{Use: "paint", Run: func(*cobra.Command, []string) {}}
		sub.Flags().String("colour", "", "")
		CompleteFlag(sub, "colour", []string{"red", "green"})
		root.AddCommand(sub)
		root.SetOut(&stdout)
		if code := e.RunContext(context.Background(), root, args); code != ExitDone {
			t.Errorf("%q: exit code %d", args, code)
		}
		return stdout.String()
	}
	for _, request := range []string{cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd} {
		if got := offers(request, "paint", "--colour", ""); !strings.HasPrefix(got, "red\ngreen\n") {
			t.Errorf("%s: %q", request, got)
		}
	}
	if got := offers(cobra.ShellCompRequestCmd, ""); !strings.Contains(got, "paint") {
		t.Errorf("an empty word: %q", got)
	}
	if got := offers("paint", "--colour", "red"); got != "" {
		t.Errorf("without a request: %q", got)
	}
}
