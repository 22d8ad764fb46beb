package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/internal/command/input"
)

// apart refuses a file that is named twice.
func (f *trainFlags) apart(args []string) error {
	inputs := make([]input.FlagFile, 0, len(f.merge)+len(args))
	for _, path := range append(f.merge[:len(f.merge):len(f.merge)], args...) {
		inputs = append(inputs, input.FlagFile{Flag: "merge", Path: path})
	}
	if f.collect.From != "" {
		inputs = append(inputs, input.FlagFile{Flag: "from", Path: f.collect.From})
	}
	return input.Apart([]input.FlagFile{{Flag: "out", Path: f.out}, {Flag: "rows", Path: f.joined}, {Flag: "journal", Path: f.collect.Journal}}, inputs)
}

// apart refuses to write over what is read.
func (f *measuredFlags) apart(out string) error {
	return input.Apart([]input.FlagFile{{Flag: "out", Path: out}}, []input.FlagFile{
		{Flag: "measurements", Path: f.callsFile()}, {Flag: "streams", Path: f.streamsFile()}, {Flag: "model", Path: f.model},
	})
}

// callsFile is the file of the calls, which may be named by its folder.
func (f *measuredFlags) callsFile() string {
	if info, err := os.Stat(f.file); err == nil && info.IsDir() {
		return inFolder(f.file, recordings.CallsFile)
	}
	return f.file
}

// streamsFile is the file of the streams' statistics.
func (f *measuredFlags) streamsFile() string {
	if f.streams != "" {
		return f.streams
	}
	return inFolder(filepath.Dir(f.callsFile()), recordings.StreamsFile)
}

// inFolder is a file of a folder, without the .gz behind its name where only that
// is there.
func inFolder(folder, name string) string {
	packed := filepath.Join(folder, name)
	plain := strings.TrimSuffix(packed, ".gz")
	if _, err := os.Stat(packed); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(plain); err == nil {
			return plain
		}
	}
	return packed
}

// sameGPU reports whether a GPU is the one of the profile's title, or not known.
// Some drivers put the maker before the name and others do not.
func sameGPU(gpu, title string) bool {
	bare := func(name string) string { return strings.TrimPrefix(strings.ToLower(name), "nvidia ") }
	return gpu == "" || bare(gpu) == bare(title)
}
