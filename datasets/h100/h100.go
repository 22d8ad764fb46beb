// Package h100 holds what was measured on an NVIDIA H100 with cmd/atomprobe: single readings,
// patterns of shared memory, and whole calls on the index streams of package h200.
// README.md says how each number is made, index.json what each file holds.
package h100

import (
	"embed"

	"github.com/atomtune/atomtune/datasets/recordings/archive"
)

//go:embed *.csv *.gz */*
var files embed.FS

// Archive holds all of it.
var Archive = archive.New("h100", files, "fresh")

// Fresh judges: 160 streams drawn from all families and 9 of real files, as those of package h200.
// Its calls were not read one by one.
var Fresh = Archive.Set("fresh")
