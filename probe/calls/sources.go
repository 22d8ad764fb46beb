package calls

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/probe/job"
)

// ErrStream reports an index stream that cannot be measured.
var ErrStream = errors.New("no stream to measure")

// source is a stream that is yet to be made or read.
type source struct {
	label   string
	place   string // in errors: the path, or the label of one that is made
	content string // hash of the file; empty for one that is made
	updates int    // job.UnknownUpdates before it is read
	load    func() (indices []uint32, bins uint64, err error)
}

func syntheticSource(spec synth.Spec) source {
	load := func() ([]uint32, uint64, error) {
		indices, err := synth.Generate(spec)
		return indices, uint64(spec.K), err
	}
	return source{spec.String(), spec.String(), "", spec.N, load}
}

// fileSources names the streams of the files: one each, or of a matrix or an
// edge list one each axis, @row and @col. The label is the file's name without
// its folder. A file is read here to see its format and to know it again.
func fileSources(paths []string) ([]source, error) {
	var list []source
	seen := map[string]string{}
	for _, path := range paths {
		if path == "-" {
			return nil, fmt.Errorf("%w: standard input cannot be read again when a run is resumed: "+
				"name a file", ErrStream)
		}
		r, err := datasets.Open(path, datasets.Options{})
		if err != nil {
			return nil, err
		}
		axes := r.Axes()
		if err := r.Close(); err != nil {
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
		for _, axis := range axes {
			label := strings.TrimSuffix(base+"@"+axis, "@")
			load := func() ([]uint32, uint64, error) {
				return datasets.ReadAll(path, datasets.Options{Axis: axis})
			}
			list = append(list, source{label, path, content, job.UnknownUpdates, load})
		}
	}
	return list, nil
}

// mostBins is the most targets of a stream; the companion has the same bound.
const mostBins = 1 << 28

// contentOf is the SHA-256 of a file.
func contentOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), errors.Join(err, f.Close())
}
