package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/must"
)

var date = time.Date(2026, 11, 24, 3, 4, 6, 0, time.UTC)

// TestPack: the order in which files are handed in does not count, programs can be run, and every
// file has the release's date.
func TestPack(t *testing.T) {
	files := []file{{Name: "b/text", Data: []byte("text")},
		{Name: "a", Data: []byte("program"), Runs: true}}
	turned := []file{files[1], files[0]}
	for name, pack := range map[string]func(string, []file, time.Time) ([]byte, error){
		"tar": packTar, "zip": packZip,
	} {
		data := must.Get(pack("top", files, date))(t)
		again, err := pack("top", turned, date)
		if err != nil || !bytes.Equal(data, again) {
			t.Errorf("%s: other bytes for the same files, %v", name, err)
		}
		want := fmt.Sprint("top/a 755 program ", date.Unix(), ";top/b/text 644 text ", date.Unix(), ";")
		unpack := unpackTar
		if name == "zip" {
			unpack = unpackZip
		}
		if got := unpack(t, data); got != want {
			t.Errorf("%s holds %q, want %q", name, got, want)
		}
	}
}

func unpackTar(t *testing.T, data []byte) (list string) {
	t.Helper()
	packed := must.Get(gzip.NewReader(bytes.NewReader(data)))(t)
	for r := tar.NewReader(packed); ; {
		h, err := r.Next()
		if err == io.EOF {
			return list
		}
		text, wrong := io.ReadAll(r)
		if err != nil || wrong != nil {
			t.Fatal(err, wrong)
		}
		list += fmt.Sprintf("%s %o %s %d;", h.Name, h.Mode, text, h.ModTime.Unix())
	}
}

func unpackZip(t *testing.T, data []byte) (list string) {
	t.Helper()
	r := must.Get(zip.NewReader(bytes.NewReader(data), int64(len(data))))(t)
	for _, f := range r.File {
		open := must.Get(f.Open())(t)
		text := must.Get(io.ReadAll(open))(t)
		list += fmt.Sprintf("%s %o %s %d;", f.Name, f.Mode().Perm(), text, f.Modified.Unix())
	}
	return list
}

// TestBill: each module stands once, with its sum; what each program links and what its bytes
// hash to is told apart.
func TestBill(t *testing.T) {
	module := func(path, version, sum string) *debug.Module {
		return &debug.Module{Path: path, Version: version, Sum: sum}
	}
	both := module("example.org/both", "v1.2.3", "h1:both=")
	fork := module("example.org/old", "v1.0.0", "h1:old=")
	fork.Replace = module("example.org/fork", "v1.0.1", "h1:fork=")
	programs := []built{
		{"first", []byte("first"), &debug.BuildInfo{GoVersion: "go1.26.8",
			Main: debug.Module{Path: "example.org/main", Version: "v0.3.0+dirty"},
			Deps: []*debug.Module{both}, Settings: []debug.BuildSetting{{Key: "GOOS", Value: "linux"}}}},
		{"second", []byte("2"), &debug.BuildInfo{GoVersion: "go1.26.8",
			Deps: []*debug.Module{both, fork}}},
	}
	licences := map[string]string{"std": "BSD-3-Clause", "example.org/both": "MIT"}
	if _, err := billOf("main", programs, licences, date); err == nil ||
		!strings.Contains(err.Error(), "example.org/fork") {
		t.Errorf("a module without a licence: %v", err)
	}
	licences["example.org/fork"] = "Apache-2.0 AND MIT"
	text := must.Get(billOf("main", programs, licences, date))(t)
	var b bill
	must.Do(t, json.Unmarshal(text, &b))
	var got strings.Builder
	for _, c := range b.Components {
		fmt.Fprintln(&got, c.Type, c.Name, c.PURL, c.Licences, c.Properties)
	}
	for _, d := range b.Dependencies {
		fmt.Fprintln(&got, d.Ref, d.Uses)
	}
	want := `application first  [] [{go:build:GOOS linux}]
application second  [] []
library example.org/both pkg:golang/example.org/both@v1.2.3 [{MIT}] [{go:sum h1:both=}]
library example.org/fork pkg:golang/example.org/fork@v1.0.1 [{Apache-2.0 AND MIT}] [{go:sum h1:fork=}]
library std pkg:golang/std@1.26.8 [{BSD-3-Clause}] []
main [first second]
first [pkg:golang/std@1.26.8 pkg:golang/example.org/both@v1.2.3]
second [pkg:golang/std@1.26.8 pkg:golang/example.org/both@v1.2.3 pkg:golang/example.org/fork@v1.0.1]
`
	if got.String() != want {
		t.Errorf("the bill holds\n%swant\n%s", got.String(), want)
	}
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte("first")))
	if h := b.Components[0].Hashes; len(h) != 1 || h[0] != (hash{"SHA-256", sum}) {
		t.Errorf("hashes %v", h)
	}
	if c := b.Metadata.Component; c.PURL != "pkg:golang/example.org/main@v0.3.0%2Bdirty" ||
		b.Metadata.Timestamp != "2026-11-24T03:04:06Z" {
		t.Errorf("metadata %+v", b.Metadata)
	}
}

// program answers as the programs of a release do.
const program = `package main

import "os"

func main() {
	if os.Args[1] == "man" {
		os.Stdout.WriteString("{\"pages\":[{\"file\":\"tool.1\",\"text\":\".TH TOOL 1\\n\"}]}")
		return
	}
	os.Stdout.WriteString("complete " + os.Args[2])
}
`

// module makes a module of programs in a folder, at a tag.
func module(t *testing.T, folder string, programs ...string) {
	t.Helper()
	files := map[string]string{"go.mod": "module example.org/tool\n\ngo 1.26\n", "LICENSE": "terms\n"}
	for _, name := range programs {
		files["cmd/"+name+"/main.go"] = program
	}
	for name, text := range files {
		path := filepath.Join(folder, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte(text), 0o644))
	}
	for _, line := range []string{"init -q", "add -A", "-c user.name=x -c user.email=x@x commit -qm x",
		"tag v0.3.0"} {
		cmd := exec.Command("git", strings.Fields(line)...)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE=2026-11-24T00:00:00Z",
			"GIT_COMMITTER_DATE=2026-11-24T00:00:00Z", "GIT_CONFIG_GLOBAL=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v: %s", line, err, out)
		}
	}
}

// TestReproducible: the same commit gives the same bytes in another folder at another time. The tag
// names the version.
func TestReproducible(t *testing.T) {
	golden.OnlyFull(t)
	var archives [2][]byte
	for i := range archives {
		folder, out := filepath.Join(t.TempDir(), fmt.Sprint("source", i)), t.TempDir()
		module(t, folder, "tool")
		old := date.Add(time.Duration(-i) * time.Hour)
		must.Do(t, os.Chtimes(filepath.Join(folder, "LICENSE"), old, old))
		host := hostPlatform()
		r := release{Source: folder, Name: "tool", Programs: []string{"tool"},
			Documents: []string{"LICENSE"}, Platforms: []platform{host}, Date: date}
		made, err := r.write(out)
		if err != nil {
			t.Fatal(err)
		}
		name := "tool_v0.3.0_" + host.String() + ".tar.gz"
		if archives[i], err = os.ReadFile(filepath.Join(made, name)); err != nil {
			t.Fatal(err)
		}
		sums, err := os.ReadFile(filepath.Join(made, checksums))
		want := fmt.Sprintf("%x  %s\n", sha256.Sum256(archives[i]), name)
		if err != nil || string(sums) != want {
			t.Errorf("sums %q, want %q, %v", sums, want, err)
		}
	}
	if !bytes.Equal(archives[0], archives[1]) {
		t.Error("the archives differ")
	}
	list := unpackTar(t, archives[0])
	for _, want := range []string{"/LICENSE 644 terms", "/man/man1/tool.1 644 .TH TOOL 1",
		"/completions/zsh/_tool 644 complete zsh", "/completions/fish/tool.fish 644 complete fish",
		"/completions/bash/tool 644 complete bash", "/completions/powershell/tool.ps1 644 ",
		"/licences/go/LICENSE 644 ", "/tool 755 ", `"go:build:vcs.modified"`, `"v0.3.0"`} {
		if !strings.Contains(list, want) {
			t.Errorf("%s is missing in the archive", want)
		}
	}
}

// TestVersion: without version control there is no version, and no archive that could not say of
// which revision it is.
func TestVersion(t *testing.T) {
	golden.OnlyFull(t)
	folder, out := t.TempDir(), t.TempDir()
	module(t, folder, "tool")
	must.Do(t, os.RemoveAll(filepath.Join(folder, ".git")))
	r := release{Source: folder, Name: "tool", Programs: []string{"tool"},
		Platforms: []platform{hostPlatform()}, Date: date}
	if _, err := r.write(out); err == nil || !strings.Contains(err.Error(), "no revision") {
		t.Errorf("error %v", err)
	}
	if left, err := os.ReadDir(out); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestInstall runs the lines of doc/INSTALL.md beside an archive, with a home of their own.
func TestInstall(t *testing.T) {
	golden.OnlyFull(t)
	text := must.Get(os.ReadFile("../../doc/INSTALL.md"))(t)
	_, after, found := strings.Cut(string(text), "```sh\n")
	lines, _, closed := strings.Cut(after, "```\n")
	if !found || !closed {
		t.Fatal("doc/INSTALL.md has no lines to run")
	}
	folder, out, home := t.TempDir(), t.TempDir(), t.TempDir()
	module(t, folder, "atomtune", "atomprobe")
	r := release{Source: folder, Name: "atomtune", Programs: []string{"atomtune", "atomprobe"},
		Platforms: []platform{{"linux", "amd64"}}, Date: date}
	made := must.Get(r.write(out))(t)
	cmd := exec.Command("bash", "-euc", lines)
	cmd.Dir, cmd.Env = made, append(os.Environ(), "HOME="+home)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "OK") {
		t.Fatalf("%v: %s", err, out)
	}
	for _, path := range []string{"bin/atomtune", "bin/atomprobe", "share/man/man1/tool.1",
		"share/bash-completion/completions/atomprobe"} {
		if _, err := os.Stat(filepath.Join(home, ".local", path)); err != nil {
			t.Error(err)
		}
	}
}

// TestMissing: what is to be in an archive and is not there is an error that names it.
func TestMissing(t *testing.T) {
	folder := t.TempDir()
	r := release{Source: folder, Documents: []string{"*.cuh"}}
	if _, err := r.documents(); err == nil || !strings.Contains(err.Error(), "*.cuh") {
		t.Errorf("documents: %v", err)
	}
	folder = t.TempDir()
	module(t, folder, "tool")
	r = release{Source: folder, Programs: []string{"absent"}}
	if paths, err := r.build(hostPlatform(), t.TempDir()); err == nil ||
		!strings.Contains(err.Error(), hostPlatform().String()+": go build") {
		t.Errorf("programs: %v, %v", paths, err)
	}
	folder = t.TempDir()
	if _, err := licencesIn("example.org/bare", folder); err == nil ||
		!strings.Contains(err.Error(), "example.org/bare") {
		t.Errorf("licences: %v", err)
	}
	must.Do(t, os.WriteFile(filepath.Join(folder, "LICENCE.md"), []byte("terms"), 0o644))
	must.Do(t, os.MkdirAll(filepath.Join(folder, "THIRD_PARTY_LICENSES"), 0o755))
	other := filepath.Join(folder, "THIRD_PARTY_LICENSES", "Other")
	must.Do(t, os.WriteFile(other, []byte("terms"), 0o644))
	if list, err := licencesIn("m@v1", folder); err != nil || len(list) != 2 ||
		list[0].Name != "licences/m@v1/LICENCE.md" ||
		list[1].Name != "licences/m@v1/THIRD_PARTY_LICENSES/Other" {
		t.Errorf("licences %v, %v", list, err)
	}
}
