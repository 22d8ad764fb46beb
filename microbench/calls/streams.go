package calls

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/microbench/job"
)

//go:embed quick.txt
var quickStreams string

//go:embed full.txt
var fullStreams string

// Streams lists the synthetic streams of suite calls, the same in every run: a dozen short ones, or
// for a full run every family over targets from 1 to 2^24, with 2^18 to 2^25 updates.
func Streams(quick bool) []synth.Spec {
	text := fullStreams
	if quick {
		text = quickStreams
	}
	list, err := parseSpecs("", text)
	if err != nil {
		panic(err) // the files are embedded
	}
	if quick {
		return list
	}
	return inOrder(list)
}

// drawSpecs lists so many streams of all families that synth.Sample draws from a seed, with 2^18 to
// 2^23 updates, families with few parameters half as often as the others: those of suite calls in
// place of Streams where recordings are to validate what others have fitted.
func drawSpecs(n int, seed uint64) []synth.Spec {
	rich := "cells,hotspot,image,markov,mixture,runs,sorted,uniform,window,zipf"
	families := strings.Split(rich+","+rich+",constant,permuted,sequential,stride", ",")
	r, seen := synth.NewRand(seed), map[string]bool{}
	var list []synth.Spec
	for len(list) < n {
		s, err := synth.Sample(r, synth.Ranges{
			NMin: 1 << 18, NMax: 1 << 23, KMax: 1 << 24, Families: families,
		})
		if err != nil {
			panic(err) // the ranges are constants
		}
		s.Seed &= math.MaxUint32 // as good, and easier to type
		if !seen[s.String()] {
			list = append(list, s)
		}
		seen[s.String()] = true
	}
	return inOrder(list)
}

// ReadSpecs reads a file of specifications, long streams first. Errors name the file and the line,
// and those of what stands there wrap ErrStream.
func ReadSpecs(path string) ([]synth.Spec, error) {
	data, err := wholefile.Read(path, wholefile.Most)
	if err != nil {
		return nil, err
	}
	list, err := parseSpecs(path, string(data))
	return inOrder(list), err
}

// parseSpecs reads specifications of streams, as synth.Parse takes them, one a line; empty lines
// and what follows a # count for nothing. Errors name the file and the line, and wrap ErrStream.
func parseSpecs(path, text string) (list []synth.Spec, err error) {
	seen := map[string]bool{}
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		spec, err := synth.Parse(line)
		if err == nil && seen[spec.String()] {
			err = fmt.Errorf("%s is given twice", spec)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s:%d: %w", ErrStream, path, i+1, err)
		}
		seen[spec.String()] = true
		list = append(list, spec)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%w: %s: no streams", ErrStream, path)
	}
	return list, nil
}

// inOrder shuffles the streams and puts long ones first, so that streams of like length
// are prepared side by side.
func inOrder(list []synth.Spec) []synth.Spec {
	r := synth.NewRand(20151202)
	for i := range list {
		j := i + int(r.Below(uint64(len(list)-i)))
		list[i], list[j] = list[j], list[i]
	}
	slices.SortStableFunc(list, func(a, b synth.Spec) int { return cmp.Compare(b.N, a.N) })
	return list
}

var ErrStream = errors.New("no stream to measure")

// source is a stream that is yet to be made or read.
type source struct {
	label   string
	place   string // in errors: the path, or the label of one that is made
	content string // hash of the file; empty for one that is made
	updates int    // job.UnknownUpdates before it is read
	load    func() (indices []uint32, bins uint64, err error)
}

// appendFiles adds the streams of the files, by their names without their folders: one
// each, or of a matrix or an edge list one each axis, @row and @col, both sorted by row.
func appendFiles(list []source, paths []string) ([]source, error) {
	seen := map[string]string{}
	for _, path := range paths {
		if path == "-" {
			return nil, fmt.Errorf("%w: standard input cannot be read again when a run is resumed: "+
				"name a file", ErrStream)
		}
		r, err := datasets.Open(path, datasets.Options{})
		if err == nil {
			err = r.Close()
		}
		if err != nil {
			return nil, err
		}
		base := filepath.Base(path)
		if before, ok := seen[base]; ok {
			return nil, fmt.Errorf("%w: %s and %s would both be called %s", ErrStream, before, path, base)
		}
		seen[base] = path
		content, err := contentOf(path)
		if err != nil {
			return nil, err
		}
		for _, axis := range r.Axes() {
			label := strings.TrimSuffix(base+"@"+axis, "@")
			how := datasets.Options{Axis: axis, MaxUpdates: synth.MaxUpdates + 1} // more is refused
			if axis != "" {
				how.Order = datasets.OrderRow
			}
			load := func() ([]uint32, uint64, error) { return datasets.ReadAll(path, how) }
			list = append(list, source{label, path, content, job.UnknownUpdates, load})
		}
	}
	return list, nil
}

// mostBins is the most targets of a stream; the companion has the same bound.
const mostBins = 1 << 28

func contentOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), errors.Join(err, f.Close())
}
