package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/atomtune/atomtune/internal/wholefile"
)

// release says what the archives of a release are made of.
type release struct {
	Source    string   // folder of the module
	Name      string   // begins the names of the archives
	Programs  []string // packages in the folder cmd of Source
	Documents []string // patterns of files below Source that go into every archive
	Platforms []platform
	Date      time.Time // of every file of an archive
}

// checksums is the file with the SHA-256 of every archive, as sha256sum -c reads it.
const checksums = "SHA256SUMS"

// write makes the archives in the folder of the version below out, which it returns. The same
// source, Go and date give the same bytes.
func (r *release) write(out string) (folder string, err error) {
	work, err := os.MkdirTemp("", "release")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	host, err := r.build(hostPlatform(), work)
	if err != nil {
		return "", err
	}
	common, err := r.common(host)
	if err != nil {
		return "", err
	}
	info, err := buildinfo.ReadFile(host[0])
	if err != nil {
		return "", err
	}
	version := info.Main.Version
	if version == "" || version == "(devel)" {
		return "", fmt.Errorf("go finds no revision of %s: build in a clone of the repository, not in a "+
			"further worktree of it", r.Source)
	}
	folder = filepath.Join(out, version)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	var sums bytes.Buffer
	for _, p := range r.Platforms {
		name, data, err := r.archive(p, version, work, common)
		if err == nil {
			err = wholefile.Write(filepath.Join(folder, name), data)
		}
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), name)
		fmt.Fprintf(os.Stderr, "%s: %d bytes\n", name, len(data))
	}
	return folder, wholefile.Write(filepath.Join(folder, checksums), sums.Bytes())
}

// common are the files that every archive holds.
func (r *release) common(host []string) ([]file, error) {
	list, err := r.documents()
	for _, program := range host {
		if err != nil {
			return nil, err
		}
		var more []file
		more, err = documentsOf(program)
		list = append(list, more...)
	}
	return list, err
}

// documents reads the files that the patterns name. A pattern that names none is an error.
func (r *release) documents() (list []file, err error) {
	for _, pattern := range r.Documents {
		paths, err := filepath.Glob(filepath.Join(r.Source, pattern))
		if err != nil || len(paths) == 0 {
			return nil, fmt.Errorf("no file %s below %s (%v)", pattern, r.Source, err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			name, err := filepath.Rel(r.Source, path)
			if err != nil {
				return nil, err
			}
			list = append(list, file{Name: filepath.ToSlash(name), Data: data})
		}
	}
	return list, nil
}

// archive builds the programs for a platform and packs them with the common files.
func (r *release) archive(p platform, version, work string,
	common []file) (name string, data []byte, err error) {
	paths, err := r.build(p, work)
	if err != nil {
		return "", nil, err
	}
	var programs []built
	for _, path := range paths {
		b, err := readBuilt(path)
		if err != nil {
			return "", nil, err
		}
		programs = append(programs, b)
	}
	all, err := readTerms()
	if err != nil {
		return "", nil, err
	}
	bill, err := billOf(r.Name, programs, expressions(all), r.Date)
	if err != nil {
		return "", nil, err
	}
	licences, err := r.licences(programs)
	if err != nil {
		return "", nil, err
	}
	top := fmt.Sprintf("%s_%s_%s", r.Name, version, p)
	files := slices.Concat(common, licences, []file{{Name: "sbom.cdx.json", Data: bill}})
	for _, b := range programs {
		files = append(files, file{Name: b.name, Data: b.data, Runs: true})
	}
	pack, suffix := packTar, ".tar.gz"
	if p.System == "windows" {
		pack, suffix = packZip, ".zip"
	}
	data, err = pack(top, files, r.Date)
	return top + suffix, data, err
}
