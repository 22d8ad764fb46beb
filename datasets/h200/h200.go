// Package h200 holds what was measured on NVIDIA H200s with cmd/atomprobe:
// single readings, patterns of shared memory, and whole calls of every
// implementation on 468 index streams with the streams' collision statistics.
// README.md says how each number is made, index.json what each file holds.
package h200

import (
	"embed"

	"github.com/atomtune/atomtune/datasets/recordings/archive"
)

//go:embed *.csv *.gz */*
var files embed.FS

// Archive holds all of it.
var Archive = archive.New("h200", files, "second", "fresh")

// The sets. Second and Fresh judge. The calls of Second were read while closed forms were changed,
// those of Fresh were not. Misses, Hotspots and Drawn shaped the closed forms, Beyond says how implementations
// rank in targets beyond L2, Kept clears no targets, Changing shaped those of copies, samples and scans of blocks;
// these judge nothing. Changed judges the latter alone.
var (
	Second   = Archive.Set("second")   // 120 streams drawn from all families
	Fresh    = Archive.Set("fresh")    // 160 streams drawn from all families, 9 of real files
	Misses   = Archive.Set("misses")   // 81 streams, most of whose targets do not fit in L2
	Hotspots = Archive.Set("hotspots") // 72 streams with hot targets side by side
	Drawn    = Archive.Set("drawn")    // 320 streams drawn from all families
	Beyond   = Archive.Set("beyond")   // 5 streams of many targets
	Kept     = Archive.Set("kept")     // 60 streams drawn from all families
	Changing = Archive.Set("changing") // 30 streams that change on their way or are skewed
	Changed  = Archive.Set("changed")  // 30 more, which shaped nothing
)
