package main

import (
	"os"
	"path/filepath"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/internal/command"
)

// flagFile is a file that a flag names.
type flagFile struct{ flag, path string }

// apart returns an error of wrong use where a file to write is also another file to
// write, or one to read: the one would be lost.
func apart(outputs, inputs []flagFile) error {
	for i, out := range outputs {
		for _, other := range append(outputs[i+1:len(outputs):len(outputs)], inputs...) {
			if sameFile(out.path, other.path) {
				return command.Usagef("train writes --%s %s, but --%s %s is the same file", out.flag, out.path, other.flag, other.path)
			}
		}
	}
	return nil
}

// sameFile reports whether two paths lead to the same file, which need not exist.
func sameFile(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	fullA, errA := filepath.Abs(a)
	fullB, errB := filepath.Abs(b)
	if errA == nil && errB == nil && fullA == fullB {
		return true
	}
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// apart refuses a file that is named twice.
func (f *trainFlags) apart(args []string) error {
	inputs := make([]flagFile, 0, len(f.merge)+len(args))
	for _, path := range append(f.merge[:len(f.merge):len(f.merge)], args...) {
		inputs = append(inputs, flagFile{"merge", path})
	}
	if f.collect.From != "" {
		inputs = append(inputs, flagFile{"from", f.collect.From})
	}
	return apart([]flagFile{{"out", f.out}, {"rows", f.joined}, {"journal", f.collect.Journal}}, inputs)
}

// apart refuses to write over what is read.
func (f *measuredFlags) apart(out string) error {
	return apart([]flagFile{{"out", out}}, []flagFile{
		{"measurements", f.callsFile()}, {"streams", f.streamsFile()}, {"model", f.model},
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
