// Package h200 holds what was measured on NVIDIA H200s with cmd/atomprobe:
// single readings, patterns of shared memory, and whole calls of every
// implementation on 468 index streams with the streams' collision statistics.
// README.md says how each number is made, index.json what each file holds.
//
// Errors of its functions wrap recordings.ErrRecording and name file and line.
package h200

import (
	"embed"
	"fmt"

	"github.com/atomtune/atomtune/datasets/recordings"
)

//go:embed *.csv *.gz index.json
var folder embed.FS

// File returns what a file of the folder holds, by its name, with or without the .gz of
// a packed one.
func File(name string) ([]byte, error) {
	data, err := folder.ReadFile(name)
	if err != nil {
		data, err = folder.ReadFile(name + ".gz")
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s is not among the recordings", recordings.ErrRecording, name)
	}
	return recordings.Plain(name, data)
}

// decoded decodes a file, passing over what it was measured with.
func decoded[T any](name string, decode func(string, []byte) (recordings.Provenance, T, error)) (T,
	error) {
	data, err := File(name)
	if err != nil {
		var none T
		return none, err
	}
	_, all, err := decode(name, data)
	return all, err
}

// Readings returns the single quantities, in the order of the suites.
func Readings() ([]recordings.Reading, error) {
	return decoded(recordings.ReadingsFile, recordings.DecodeReadings)
}

// Counters returns what the hardware's counters said of a few small kernels.
func Counters() ([]recordings.Reading, error) {
	return decoded("counters.csv", recordings.DecodeReadings)
}

// Instructions returns how often each machine instruction that matters stands in
// each kernel of package ptx.
func Instructions() ([]recordings.Instruction, error) {
	return decoded("instructions.csv", recordings.DecodeInstructions)
}

// Index returns what the folder holds, and how its streams are split.
func Index() (recordings.Index, error) {
	data, err := File(recordings.IndexFile)
	if err != nil {
		return recordings.Index{}, err
	}
	return recordings.DecodeIndex(recordings.IndexFile, data)
}
