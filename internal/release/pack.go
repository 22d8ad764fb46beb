package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"io/fs"
	"slices"
	"time"
)

// file is one file of an archive.
type file struct {
	Name string // with / between folders
	Data []byte
	Runs bool // is a program
}

func (f *file) mode() fs.FileMode {
	if f.Runs {
		return 0o755
	}
	return 0o644
}

// inOrder are the files by name, as every archive has them.
func inOrder(files []file) []file {
	return slices.SortedFunc(slices.Values(files),
		func(a, b file) int { return cmp.Compare(a.Name, b.Name) })
}

// packTar packs files in a folder top, all of one date and of no owner.
func packTar(top string, files []file, date time.Time) ([]byte, error) {
	var out bytes.Buffer
	packed, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(packed)
	for _, f := range inOrder(files) {
		err = cmp.Or(err, w.WriteHeader(&tar.Header{Name: top + "/" + f.Name, Size: int64(len(f.Data)),
			Mode: int64(f.mode()), ModTime: date, Format: tar.FormatPAX}))
		if err == nil {
			_, err = w.Write(f.Data)
		}
	}
	err = errors.Join(err, w.Close(), packed.Close())
	return out.Bytes(), err
}

// packZip is packTar for systems that unpack zip.
func packZip(top string, files []file, date time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	var err error
	for _, f := range inOrder(files) {
		h := &zip.FileHeader{Name: top + "/" + f.Name, Method: zip.Deflate, Modified: date}
		h.SetMode(f.mode())
		to, wrong := w.CreateHeader(h)
		if err = cmp.Or(err, wrong); err == nil {
			_, err = to.Write(f.Data)
		}
	}
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}
