package probe

import (
	"fmt"
	"path/filepath"

	"github.com/atomtune/atomtune/datasets"
)

// source is a stream that is yet to be made or read.
type source struct {
	label   string
	updates int // 0: not known before it is read
	load    func() (indices []uint32, bins uint64, err error)
}

// fileSources names the streams of the files: one each, or of a matrix or an
// edge list one each axis, @row and @col. The label is the file's name without
// its folder. A file is opened here only to see its format.
func fileSources(paths []string) ([]source, error) {
	var list []source
	seen := map[string]string{}
	for _, path := range paths {
		axes, err := axesOf(path)
		if err != nil {
			return nil, err
		}
		base := filepath.Base(path)
		if before, ok := seen[base]; ok {
			return nil, fmt.Errorf("%w: %s and %s would both be called %s", ErrStream, before, path, base)
		}
		seen[base] = path
		for _, axis := range axes {
			label := base
			if axis != "" {
				label += "@" + axis
			}
			list = append(list, source{label: label, load: func() ([]uint32, uint64, error) {
				return datasets.ReadAll(path, datasets.Options{Axis: axis})
			}})
		}
	}
	return list, nil
}

// axesOf lists the axes that a file has: the empty one where there is no choice.
func axesOf(path string) ([]string, error) {
	if path == "-" {
		return nil, fmt.Errorf("%w: standard input cannot be read again when a run is resumed: name a file", ErrStream)
	}
	r, err := datasets.Open(path, datasets.Options{})
	if err != nil {
		return nil, err
	}
	format := r.Format()
	if err := r.Close(); err != nil {
		return nil, err
	}
	if format == datasets.FormatMTX || format == datasets.FormatEdges {
		return []string{datasets.AxisRow, datasets.AxisCol}, nil
	}
	return []string{""}, nil
}
