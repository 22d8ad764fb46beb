package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/bindings/clib/internal/request"
	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/tuner/plan"
)

// installed is where a test has installed the library.
type installed struct {
	folder string
	env    []string // for programs that link it
	flags  []string // of pkg-config
}

// TestLibrary builds the library, installs it into a folder and runs programs in C against it,
// which are compiled with the flags of pkg-config.
func TestLibrary(t *testing.T) {
	for _, tool := range []string{"make", "cc", "c++", "pkg-config"} {
		if _, err := exec.LookPath(tool); errors.Is(err, exec.ErrNotFound) && os.Getenv("CI") == "" {
			t.Skipf("%s is missing: Debian has it in gcc, g++, make and pkg-config", tool)
		}
	}
	unchanged(t)
	in := install(t)
	t.Run("Version", in.version)
	t.Run("Symbols", in.symbols)
	t.Run("Header", in.header)
	t.Run("Contract", in.contract)
	t.Run("Saves", in.saves)
	t.Run("Answers", in.answers)
	t.Run("Readme", in.readme)
}

// unchanged reads the sources that other programs compile: a result of this test that is kept
// holds as long as they stay the same.
func unchanged(t *testing.T) {
	t.Helper()
	read := 0
	for _, pattern := range []string{"*", "include/*", "test/*", "internal/request/*.go", "../cuda/atomtune_plan_*.cuh"} {
		names := must.Get(filepath.Glob(pattern))(t)
		for _, name := range names {
			if info, err := os.Stat(name); err != nil || info.IsDir() {
				continue
			}
			if _, err := os.ReadFile(name); err != nil {
				t.Fatal(err)
			}
			read++
		}
	}
	if read < 10 {
		t.Fatalf("%d sources", read)
	}
}

// run runs a program and returns what it prints.
func run(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", cmd, err, &out, &errs)
	}
	return out.String()
}

func install(t *testing.T) installed {
	t.Helper()
	work := t.TempDir()
	stage := filepath.Join(work, "stage")
	run(t, nil, "make", "install", "BUILD="+filepath.Join(work, "build"), "PREFIX=/opt/atomtune",
		"DESTDIR="+stage)
	lib := filepath.Join(stage, "opt/atomtune/lib")
	in := installed{folder: work, env: []string{"LD_LIBRARY_PATH=" + lib,
		"PKG_CONFIG_PATH=" + filepath.Join(lib, "pkgconfig")}}
	in.flags = strings.Fields(run(t, in.env, "pkg-config", "--cflags", "--libs", "atomtune"))
	if len(in.flags) != 3 {
		t.Fatalf("pkg-config says %q", in.flags)
	}
	return in
}

// compile compiles a program and returns its path.
func (in installed) compile(t *testing.T, compiler, source string, flags ...string) string {
	t.Helper()
	out := filepath.Join(in.folder, filepath.Base(source)+".out")
	args := append([]string{"-O1", "-Wall", "-Wextra", "-Werror", "-o", out}, flags...)
	run(t, in.env, compiler, append(append(args, source), in.flags...)...)
	return out
}

// version: header, library, pkg-config and package plan say the same.
func (in installed) version(t *testing.T) {
	if v := run(t, in.env, "pkg-config", "--modversion", "atomtune"); v != plan.Version+"\n" {
		t.Errorf("pkg-config says %q, want %s", v, plan.Version)
	}
	header, err := os.ReadFile("include/atomtune.h")
	if err != nil || !bytes.Contains(header, []byte("ATOMTUNE_VERSION \""+plan.Version+"\"\n")) {
		t.Errorf("the header is of another version: %v", err)
	}
}

// symbols: programs see the functions of the header, and nothing of Go's.
func (in installed) symbols(t *testing.T) {
	header := must.Get(os.ReadFile("include/atomtune.h"))(t)
	want := map[string]bool{}
	function := regexp.MustCompile(`(?m)^[a-z].*\b(atomtune_\w+)\(`)
	for _, m := range function.FindAllSubmatch(header, -1) {
		want[string(m[1])] = true
	}
	got := map[string]bool{}
	library := filepath.Join(in.folder, "stage/opt/atomtune/lib/libatomtune.so")
	for line := range strings.Lines(run(t, nil, "nm", "-D", "--defined-only", library)) {
		if f := strings.Fields(line); len(f) == 3 && f[1] == "T" {
			name, _, _ := strings.Cut(f[2], "@")
			got[name] = true
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 8 {
		t.Errorf("functions (-header +library):\n%s", diff)
	}
	for line := range strings.Lines(run(t, nil, "readelf", "-d", library)) {
		if strings.Contains(line, "SONAME") {
			if !strings.Contains(line, "[libatomtune.so.0]") {
				t.Error(line)
			}
			return
		}
	}
	t.Error("the library has no soname")
}

// header: it compiles by itself in the oldest C and C++.
func (in installed) header(t *testing.T) {
	for _, standard := range []string{"c89", "c99", "c17"} {
		out := in.compile(t, "cc", "test/header_test.c", "-std="+standard, "-pedantic")
		run(t, in.env, out)
	}
	for _, standard := range []string{"c++98", "c++17"} {
		out := in.compile(t, "c++", "test/header_test.c", "-x", "c++", "-std="+standard)
		run(t, in.env, out)
	}
}

// contract runs the checks of errors, plans and threads.
func (in installed) contract(t *testing.T) {
	out := in.compile(t, "cc", "test/contract_test.c", "-std=c99", "-D_POSIX_C_SOURCE=200809L",
		"-pthread")
	foreign := filepath.Join(in.folder, "foreign")
	must.Do(t, os.WriteFile(foreign, []byte("not a plan\n"), 0o644))
	var checks, faults int
	said := run(t, in.env, out, filepath.Join(in.folder, "plans"), foreign)
	if _, err := fmt.Sscanf(said, "%d checks, %d faults", &checks, &faults); err != nil ||
		checks < 100 || faults != 0 {
		t.Errorf("%v: %s", err, said)
	}
	if text, err := os.ReadFile(foreign); err != nil || string(text) != "not a plan\n" {
		t.Errorf("a file that holds no plans was written: %q, %v", text, err)
	}
}

// saves: of plans that processes in C, C++ and Go save to one file, each from several threads, all are
// kept. There are 1,024 with ATOMTUNE_FULL=1.
func (in installed) saves(t *testing.T) {
	header := in.compile(t, "c++", "test/saves_test.c", "-x", "c++", "-std=c++17", "-I../cuda", "-pthread",
		"-Wno-unknown-pragmas")
	must.Do(t, os.Rename(header, header+"pp"))
	library := in.compile(t, "cc", "test/saves_test.c", "-std=c99", "-pthread")
	programs, each := []string{library, header + "pp"}, 16
	if golden.Full() {
		programs, each = slices.Concat(programs, programs, programs, programs[:1]), 128
	}
	path := filepath.Join(in.folder, "saves")
	var group sync.WaitGroup
	for i, program := range programs {
		group.Go(func() { run(t, in.env, program, path, strconv.Itoa(i*each), strconv.Itoa(each)) })
	}
	all := (len(programs) + 1) * each
	for k := len(programs) * each; k < all; k++ {
		group.Go(func() {
			key := plan.Key{Device: "h200", Version: plan.Version, Updates: uint64(k) + 1, Bins: 1}
			if err := plan.Save(path, plan.Plan{Key: key}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	kept := map[uint64]bool{}
	for line := range strings.Lines(string(must.Get(os.ReadFile(path))(t))) {
		if p, err := plan.Parse(strings.TrimSuffix(line, "\n")); err == nil {
			kept[p.Updates] = true
		}
	}
	if len(kept) != all {
		t.Errorf("%d of %d plans are kept", len(kept), all)
	}
}

// target is that of streams.h.
func target(kind int, i, n uint64) uint32 {
	mixed := (i + 1) * 0x9e3779b97f4a7c15
	mixed ^= mixed >> 29
	switch kind {
	case 0:
		return uint32(mixed % bins)
	case 1:
		return 7
	case 2:
		return uint32(i * bins / n)
	case 3:
		return uint32(mixed % bins * (mixed >> 40 & 1))
	}
	return uint32(i % 96)
}

const bins = 5000

// answers compares what the library says with what the tuner says, bit by bit.
func (in installed) answers(t *testing.T) {
	out := in.compile(t, "cc", "test/compare_test.c", "-std=c99", "-pedantic")
	lines := strings.Split(strings.TrimSuffix(run(t, in.env, out), "\n"), "\n")
	for i, name := range []string{"h200", "h100", "gtx680"} {
		d := must.Get(device.Builtin(name))(t)
		for kind := range 5 {
			for size, n := range []uint64{1, 1000, 300001} {
				want := expected(t, d, i, kind, size, n)
				if len(lines) < len(want) {
					t.Fatal("the program printed too little")
				}
				if diff := cmp.Diff(want, lines[:len(want)]); diff != "" {
					t.Errorf("%s, stream %d of %d updates (-tuner +library):\n%s", name, kind, n, diff)
				}
				lines = lines[len(want):]
			}
		}
	}
	if len(lines) != 0 {
		t.Errorf("%d lines too many", len(lines))
	}
}

// expected are the lines of compare_test.c for one stream.
func expected(t *testing.T, d *device.Profile, number, kind, size int, n uint64) (lines []string) {
	stream := make([]uint32, n)
	for i := range stream {
		stream[i] = target(kind, uint64(i), n)
	}
	add := func(x tuner.Decision, source request.Source, err error) {
		lines = append(lines, line(x, source, err))
	}
	o := tuner.Options{Deterministic: kind == 2, Call: device.Call{
		Type: device.Type((kind + number) % 6), Operand: device.Operand(kind % 2), Returns: kind == 4}}
	indexBytes := (kind + size) % 4 / 2 * 8 // of the types of C
	o.Call.IndexBytes = indexBytes
	budget := tuner.SamplingBudget{Seed: 5}
	if size == 2 {
		budget.Calls, o.Calls = 1000, 1000
	}
	lines = append(lines, leaf(d, o.Call, stream))
	x, err := tuner.ChooseSampled(stream, bins, d, o, budget)
	source := request.Prior
	if x.Sampling != nil && x.Sampling.Sampled {
		source = request.Sample
	}
	add(x, source, err)

	o.SearchLaunch = true
	x, err = tuner.ChooseStream(stream, bins, d, o)
	add(x, request.Statistics, err)
	o.SearchLaunch = false
	s, err := collision.Analyze(stream, collision.Options{Bins: bins})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, f := range collision.Statistics() {
		value, _ := f.Value(&s)
		fmt.Fprintf(&text, " %s %x", f.Name, math.Float64bits(value))
	}
	lines = append(lines, text.String())
	o.Call.IndexBytes = 0 // a choice for statistics reads no index
	x, err = tuner.Choose(&s, d, o)
	add(x, request.Statistics, err)
	o.Call.IndexBytes = indexBytes

	private, err := impl.Parse("private:r=4,pad=1")
	if err != nil {
		t.Fatal(err)
	}
	sr := impl.Spec{Reduction: impl.SR}
	o.Only, o.Exclude, o.Cautious = []impl.Spec{{}, sr, private}, []impl.Spec{sr}, true
	x, err = tuner.ChooseStream(stream, bins, d, o)
	add(x, request.Statistics, err)
	var kept []uint32
	for _, x := range stream {
		if x != 7 {
			kept = append(kept, x)
		}
	}
	o.Launches = []device.Launch{{Blocks: 20, Threads: 128}}
	x, err = tuner.ChooseStream(kept, bins, d, o)
	add(x, request.Statistics, err)
	return lines
}

// leaf is what compare_test.c prints of features and tree.
func leaf(d *device.Profile, c device.Call, stream []uint32) string {
	f := dispatch.Sample(stream, c, bins)
	features := strings.Trim(fmt.Sprint(f), "[]")
	tree, err := dispatch.Embedded(d.Name)
	if err != nil {
		return fmt.Sprintf("%s 0 status -2: %v", features, err)
	}
	a := tree.Choose(&f)
	v := a.Fitted(d.Limits(), c.Type, bins)
	l := d.Limits().Shape(v, c, bins, uint64(len(stream)), a.Launch.On(d.Limits()))
	none := math.Float64bits(math.NaN())
	return fmt.Sprintf("%s %d %s %s 0 %x %[5]x 0 %[5]x 0 %dx%dx%d %d 0 0 %d The decision tree of %s chose it "+
		"from a sample.", features, slices.Index(tree.Candidates, a), v, v.Class(), none, l.Blocks, l.Threads,
		l.Unroll, l.SharedBytes, request.Leaf, d.Title)
}

// line is what compare_test.c prints of a choice.
func line(x tuner.Decision, source request.Source, err error) string {
	if err != nil {
		status, text := -4, err.Error()
		switch {
		case errors.Is(err, collision.ErrEmpty):
			status = -3
		case errors.Is(err, tuner.ErrOptions): // a cautious choice without intervals
			status = -1
		}
		return fmt.Sprintf("status %d: %.199s", status, text)
	}
	c, l := x.Choice, x.Ranking[0].Launch
	naive, floor, sampled := 0.0, 0.0, uint64(0)
	if c.SpeedupOverNaive != nil {
		naive = *c.SpeedupOverNaive
	}
	if x.Floor != nil {
		floor = x.Floor.US
	}
	if x.Sampling != nil {
		sampled = x.Sampling.Updates
	}
	text := fmt.Sprint(c.Implementation, " ", c.Class)
	for _, v := range []float64{c.PredictedUS, orNaN(c.LowUS), orNaN(c.HighUS), naive, orNaN(c.LossBound), floor} {
		text += fmt.Sprintf(" %x", math.Float64bits(v))
	}
	reason := x.Reason
	if before := x.Beforehand(); before != "" {
		reason += " Note that " + before + "."
	}
	return fmt.Sprintf("%s %dx%dx%d %d %d %d %d %.2047s", text, l.Blocks, l.Threads, l.Unroll,
		l.SharedBytes, x.Ranking[0].MemoryBytes, sampled, source, reason)
}

// readme compiles the program of README.md and runs it.
func (in installed) readme(t *testing.T) {
	data := must.Get(os.ReadFile("../../README.md"))(t)
	_, section, _ := strings.Cut(string(data), "## From C\n")
	_, after, found := strings.Cut(section, "```c\n")
	code, _, closed := strings.Cut(after, "```\n")
	if !found || !closed {
		t.Fatal("README.md has no C code")
	}
	source := filepath.Join(in.folder, "readme.c")
	must.Do(t, os.WriteFile(source, []byte(code), 0o644))
	if run(t, in.env, in.compile(t, "cc", source, "-std=c99", "-pedantic")) == "" {
		t.Error("the C program of README.md prints nothing")
	}
}
