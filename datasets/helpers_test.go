package datasets

import (
	zipfile "archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/atomtune/atomtune/datasets/tensor"
	"github.com/atomtune/atomtune/internal/must"
)

// write puts content into a file of the test's own folder.
func write(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.Do(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// zip compresses each content as a gzip member of its own.
func zip(t testing.TB, contents ...string) string {
	t.Helper()
	var b bytes.Buffer
	for _, content := range contents {
		z := gzip.NewWriter(&b)
		if _, err := io.WriteString(z, content); err != nil {
			t.Fatal(err)
		}
		must.Do(t, z.Close())
	}
	return b.String()
}

// packed is the little-endian bytes of a slice of fixed-size values.
func packed(t testing.TB, order binary.AppendByteOrder, values any) string {
	t.Helper()
	return string(must.Get(binary.Append(nil, order.(binary.ByteOrder), values))(t))
}

// utf16Text is a text in UTF-16 behind a byte order mark.
func utf16Text(order binary.AppendByteOrder, text string) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

// npyFile is an npy file of the given version and header values.
func npyFile(major byte, descr, fortran, shape, data string) string {
	return npyRaw(major, fmt.Sprintf("{'descr': %s, 'fortran_order': %s, 'shape': %s, }", descr,
		fortran, shape), data)
}

// npyRaw is an npy file with any text for a header.
func npyRaw(major byte, header, data string) string {
	header += strings.Repeat(" ", 63-(len(header)+10)%64) + "\n"
	prefix := tensor.NPYMagic + string([]byte{major, 0})
	if major == 1 {
		return prefix + string(binary.LittleEndian.AppendUint16(nil,
			uint16(len(header)))) + header + data
	}
	return prefix + string(binary.LittleEndian.AppendUint32(nil,
		uint32(len(header)))) + header + data
}

// readChunks reads the stream from a pipe-like reader in chunks of n updates.
func readChunks(content string, opt Options, n int) ([]uint32, error) {
	opt.Stdin = io.MultiReader(strings.NewReader(content)) // hides the length
	r, err := Open("-", opt)
	if err != nil {
		return nil, err
	}
	var all []uint32
	buf := make([]uint32, n)
	for {
		n, err := r.Next(buf)
		all = append(all, buf[:n]...)
		if err == io.EOF {
			return all, r.Close()
		}
		if err != nil {
			return all, errors.Join(err, r.Close())
		}
	}
}

// read returns the content of a file.
func read(t testing.TB, path string) string {
	t.Helper()
	return string(must.Get(os.ReadFile(path))(t))
}

// rezip copies a zip archive and adds an entry.
func rezip(t testing.TB, content, name, data string) string {
	t.Helper()
	from := must.Get(zipfile.NewReader(strings.NewReader(content), int64(len(content))))(t)
	var b bytes.Buffer
	to := zipfile.NewWriter(&b)
	for _, f := range from.File {
		must.Do(t, to.Copy(f))
	}
	w, err := to.Create(name)
	if err == nil {
		_, err = io.WriteString(w, data)
	}
	must.Do(t, errors.Join(err, to.Close()))
	return b.String()
}
