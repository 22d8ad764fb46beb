package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// platform is a system and a kind of processor, as Go calls them.
type platform struct{ System, Processor string }

func (p platform) String() string { return p.System + "_" + p.Processor }

// platforms are those of a release.
var platforms = []platform{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

func hostPlatform() platform { return platform{runtime.GOOS, runtime.GOARCH} }

// build compiles the programs and returns their paths below work. No path of this machine and no
// time goes into them; revision and version of the source do.
func (r *release) build(p platform, work string) (paths []string, err error) {
	folder := filepath.Join(work, p.String())
	suffix := ""
	if p.System == "windows" {
		suffix = ".exe"
	}
	for _, program := range r.Programs {
		path := filepath.Join(folder, program+suffix)
		paths = append(paths, path)
		if _, err := os.Stat(path); err == nil {
			continue
		}
		_, err := r.goCommand([]string{"CGO_ENABLED=0", "GOOS=" + p.System, "GOARCH=" + p.Processor},
			"build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", path, "./cmd/"+program)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
	}
	return paths, nil
}

// goCommand runs go in the folder of the module and returns what it printed.
func (r *release) goCommand(env []string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = r.Source
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w: %s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// built is a program with what Go says of its build.
type built struct {
	name string
	data []byte
	info *debug.BuildInfo
}

func readBuilt(path string) (b built, err error) {
	b.name = filepath.Base(path)
	if b.data, err = os.ReadFile(path); err != nil {
		return b, err
	}
	b.info, err = buildinfo.Read(bytes.NewReader(b.data))
	return b, err
}

// documentsOf asks a program for its manual pages and its completions.
func documentsOf(program string) (list []file, err error) {
	out, err := exec.Command(program, "man", "--json").Output()
	if err != nil {
		return nil, fmt.Errorf("%s man: %w", program, err)
	}
	var manual struct{ Pages []struct{ File, Text string } }
	if err := json.Unmarshal(out, &manual); err != nil {
		return nil, fmt.Errorf("%s man: %w", program, err)
	}
	if len(manual.Pages) == 0 {
		return nil, fmt.Errorf("%s man: no pages", program)
	}
	for _, p := range manual.Pages {
		list = append(list, file{Name: "man/man1/" + p.File, Data: []byte(p.Text)})
	}
	name := strings.TrimSuffix(filepath.Base(program), ".exe")
	for shell, as := range map[string]string{
		"bash": name, "zsh": "_" + name, "fish": name + ".fish", "powershell": name + ".ps1",
	} {
		out, err := exec.Command(program, "completion", shell).Output()
		if err != nil {
			return nil, fmt.Errorf("%s completion %s: %w", program, shell, err)
		}
		list = append(list, file{Name: "completions/" + shell + "/" + as, Data: out})
	}
	return list, nil
}

// licences are the files with the terms of Go and of every module that the programs link: these
// terms ask to stand beside a program.
func (r *release) licences(programs []built) ([]file, error) {
	root, err := r.goCommand(nil, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	folders := []string{"go\t" + strings.TrimSpace(string(root))}
	args := []string{"list", "-m", "-f", "{{.Path}}@{{.Version}}\t{{.Dir}}"}
	for _, b := range programs {
		for _, m := range b.info.Deps {
			if !slices.Contains(args, m.Path) {
				args = append(args, m.Path)
			}
		}
	}
	if len(args) > 4 {
		out, err := r.goCommand(nil, args...)
		if err != nil {
			return nil, err
		}
		folders = append(folders, strings.Split(strings.TrimSpace(string(out)), "\n")...)
	}
	var list []file
	for _, line := range folders {
		module, folder, _ := strings.Cut(line, "\t")
		more, err := licencesIn(module, folder)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}
