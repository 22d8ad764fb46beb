package input

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/tuner"
)

// endless is an input of zeros without an end, which counts what is read of it.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	clear(p)
	e.read += int64(len(p))
	return len(p), nil
}

func testEnv(stdin io.Reader) (*command.Env, *bytes.Buffer) {
	var stderr bytes.Buffer
	return &command.Env{Program: &command.Program{Name: "test"}, Stdin: stdin, Stdout: io.Discard,
		Stderr: &stderr, Now: time.Now}, &stderr
}

// streamFlags are those of a command line.
func streamFlags(t *testing.T, stdin io.Reader, line ...string) (f StreamFlags) {
	t.Helper()
	cmd := &cobra.Command{}
	f.Register(cmd, stdin)
	if err := cmd.ParseFlags(line); err != nil {
		t.Fatal(err)
	}
	return f
}

// packedZeros writes a file of so many updates of target 0.
func packedZeros(t *testing.T, updates int) string {
	t.Helper()
	data, err := gzipped.Pack(make([]byte, 4*updates))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "zeros.u32.gz")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestMaxBytes: whatever is held is read up to the limit, which the error names with its flag; an endless input is
// read little further.
func TestMaxBytes(t *testing.T) {
	write := func(name, content string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	packed, long, keys := packedZeros(t, 1000), write("long.u32", strings.Repeat("\x00", 4004)), write("keys.txt", "aa\nbb\naa\ncc\n")
	archive := "PK\x03\x04" + strings.Repeat("1 2\n", 1<<18)
	zeros := &endless{}
	e, _ := testEnv(nil)
	for _, c := range []struct {
		path, flags string
		stdin       io.Reader
		large       bool
	}{
		{"synth:uniform:n=1000,k=9", "--max-bytes=4000", nil, false}, {"synth:uniform:n=1000,k=9", "--max-bytes=3999", nil, true},
		{packed, "--max-bytes=4000", nil, false}, {packed, "--max-bytes=3999", nil, true}, {long, "--max-bytes=4000", nil, true},
		{keys, "--keys --max-bytes=216", nil, false}, {keys, "--keys --max-bytes=215", nil, true},
		{"-", "--format=u32 --max-bytes=8388608", zeros, true},
		{"-", "--format=npz --max-bytes=1048576", strings.NewReader(archive), true}, // in a temporary file
		{"-", "--format=npz", strings.NewReader(archive), false},                    // which is broken
	} {
		_, err := Load(e, c.path, streamFlags(t, c.stdin, strings.Fields(c.flags)...))
		_, most, _ := strings.Cut(c.flags, "--max-bytes=")
		large := errors.Is(err, wholefile.ErrLarge) || errors.Is(err, datasets.ErrLarge)
		if large != c.large || large && (!strings.Contains(err.Error(), most) || !strings.Contains(err.Error(), "--max-bytes")) {
			t.Errorf("%s %s: %v", c.path, c.flags, err)
		}
	}
	if most := int64(8<<20 + 2*4*chunkUpdates); zeros.read > most {
		t.Errorf("%d bytes were read, more than %d", zeros.read, most)
	}
	f := streamFlags(t, &endless{}, "--format=u32", "--max-bytes=8MiB")
	f.Width = 4
	if _, err := measured(t, e, "-", f); !errors.Is(err, wholefile.ErrLarge) {
		t.Errorf("rows: %v", err)
	}
	whole, stdin := WholeFiles{most: 4000}, &endless{}
	e, _ = testEnv(stdin)
	if _, _, err := whole.Read(e, "-"); !errors.Is(err, wholefile.ErrLarge) || stdin.read != 4001 {
		t.Errorf("%v, %d bytes were read", err, stdin.read)
	}
	for most, large := range map[ByteSize]bool{4000: false, 3999: true, 0: false} {
		whole.most = most
		if _, _, err := whole.Read(e, packed); errors.Is(err, wholefile.ErrLarge) != large {
			t.Errorf("a whole file of %d bytes: %v", most, err)
		}
	}
}

// measured counts all of an input.
func measured(t *testing.T, e *command.Env, path string, f StreamFlags) (*tuner.Measured, error) {
	t.Helper()
	s, err := Open(e, path, f)
	if err != nil {
		return nil, err
	}
	m, _, err := s.Count(collision.Options{Rows: f.Width > 0})
	return m, errors.Join(err, s.Close())
}

// TestHold: beyond what is copied, room is made once, and the updates before stay.
func TestHold(t *testing.T) {
	raw := make([]byte, 64<<20)
	for i := range len(raw) / 4 {
		binary.LittleEndian.PutUint32(raw[4*i:], uint32(i))
	}
	for more, large := range map[int]bool{0: false, 4: true} {
		e, _ := testEnv(bytes.NewReader(append(raw, make([]byte, more)...)))
		s, err := Load(e, "-", streamFlags(t, e.Stdin, "--format=u32", "--max-bytes=64MiB"))
		if errors.Is(err, wholefile.ErrLarge) != large {
			t.Errorf("%d bytes more: %v", more, err)
		}
		if large {
			continue
		}
		if len(s.Indices) != 16<<20 || cap(s.Indices) != 16<<20 {
			t.Errorf("%d of %d indices", len(s.Indices), cap(s.Indices))
		}
		for i, index := range s.Indices {
			if index != uint32(i) {
				t.Fatalf("update %d has index %d", i, index)
			}
		}
	}
}

// TestMaxUpdates: every way to read takes the first updates, says so once, and fails at none behind them.
func TestMaxUpdates(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	raw := "\x05\x00\x00\x00\x03\x00\x00\x00\x01\x00\x00\x00\x09\x00\x00\x00"
	for _, path := range []string{write("a.txt", "5\n3\n1\n9\n"), write("broken.txt", "5\n3\n1\nx\n"),
		write("a.u32", raw), write("a.csv", "at\n5\n3\n1\n9\n")} {
		f := streamFlags(t, nil, "--max-updates=3")
		e, stderr := testEnv(nil)
		s, err := Load(e, path, f)
		if err != nil || len(s.Indices) != 3 || s.Indices[2] != 1 || s.Bins() != 6 {
			t.Errorf("%s: %v of %d bins, %v", path, s.Indices, s.Bins(), err)
		}
		if text := stderr.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, path+": ") {
			t.Errorf("%q", text)
		}
		doc, err := measured(t, e, path, f)
		if err != nil || doc.Updates != 3 || doc.Stats.Bins != 6 {
			t.Errorf("%s: %d updates of %d bins, %v", path, doc.Updates, doc.Bins, err)
		}
		long, err := Open(e, path, f)
		if err != nil {
			t.Fatal(err)
		}
		if a := long.Random(); (a != nil) != strings.HasSuffix(path, "u32") || a != nil && a.Len() != 3 {
			t.Errorf("%s: at any place are %v", path, a)
		}
		if err := long.Close(); err != nil {
			t.Error(err)
		}
		e, stderr = testEnv(nil)
		if s, err := Load(e, path, streamFlags(t, nil, "--max-updates=4")); !strings.Contains(path, "broken") &&
			(err != nil || len(s.Indices) != 4 || stderr.Len() > 0) {
			t.Errorf("%s: %v, %v, %s", path, s.Indices, err, stderr)
		}
	}
	e, stderr := testEnv(nil)
	s, err := Load(e, "synth:sequential:n=9,k=9", streamFlags(t, nil, "--max-updates=3"))
	if err != nil || len(s.Indices) != 3 || !strings.Contains(stderr.String(), " 3 updates") {
		t.Errorf("synthetic: %v, %v, %s", s.Indices, err, stderr)
	}
	zeros := &endless{}
	doc, err := measured(t, e, "-", streamFlags(t, zeros, "--format=u32", "--max-updates=100"))
	if err != nil || doc.Updates != 100 || doc.Unique != 1 || zeros.read > 1<<20 {
		t.Errorf("%d updates of %d targets, %d bytes were read, %v", doc.Updates, doc.Unique, zeros.read, err)
	}
}

// TestExpansion: a file whose updates take over a thousand times its bytes is warned of, once; less is where there is
// much of it, and so is an input without an end in sight.
func TestExpansion(t *testing.T) {
	e, stderr := testEnv(nil)
	path := packedZeros(t, 4<<20)
	if _, err := measured(t, e, path, streamFlags(t, nil)); err != nil {
		t.Fatal(err)
	}
	text := stderr.String()
	if strings.Count(text, "\n") != 1 || !strings.Contains(text, path+": ") || !strings.Contains(text, " 16.3 kB ") ||
		!strings.Contains(text, "--max-updates") {
		t.Errorf("%q", text)
	}
	for _, c := range []struct {
		read, bytes int64
		warns       bool
	}{
		{longBytes / longExpansion, longBytes, false}, {longBytes/longExpansion + 2, longBytes + 4, false},
		{longBytes / longExpansion, longBytes + 4*longExpansion, true}, {4000, 4000 * 999, false},
	} {
		warned := 0
		x := expansion{read: func() int64 { return c.read }, bytes: c.bytes - 4, warn: func(string, ...any) { warned++ }}
		x.add(1)
		x.add(0)
		if c.warns && warned != 1 || !c.warns && warned > 0 {
			t.Errorf("%d bytes of %d: %d warnings", c.bytes, c.read, warned)
		}
	}
	var said []string
	x := expansion{warn: func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }}
	for read := int64(endlessBytes); read < endlessBytes+3; read++ {
		x.watch(read, 0)
	}
	if len(said) != 1 || !strings.Contains(said[0], "268.4 MB") || !strings.Contains(said[0], "--max-updates") {
		t.Errorf("%q", said)
	}
}

// TestGap: what is read without an update is noted now and then, and ends in an error that names the figure and its
// flag, in every way to read.
func TestGap(t *testing.T) {
	for flag, notes := range map[string]int{"--max-gap=1MB": 0, "--max-gap=100MiB": 1, "--max-gap=140MiB": 2} {
		e, stderr := testEnv(nil)
		how := streamFlags(t, comments{}, flag)
		_, err := Load(e, "-", how)
		most := strconv.FormatUint(how.gap.limit(), 10)
		if !errors.Is(err, datasets.ErrGap) || !strings.Contains(err.Error(), most) || !strings.Contains(err.Error(), "--max-gap") ||
			strings.Count(stderr.String(), "stdin: ") != notes || notes > 0 && !strings.Contains(stderr.String(), " 67.1 MB ") {
			t.Errorf("%s: %v, %q", flag, err, stderr)
		}
		if _, err = measured(t, e, "-", streamFlags(t, comments{}, flag)); !errors.Is(err, datasets.ErrGap) {
			t.Errorf("%s: measured: %v", flag, err)
		}
	}
	if f := streamFlags(t, nil); f.gap != 1<<30 {
		t.Errorf("%d bytes without a flag", f.gap)
	}
	noted := 0
	x := expansion{note: func(int64) { noted++ }}
	for gap := int64(0); gap < 16*gapBytes; gap += gapBytes / 8 {
		x.watch(0, gap)
	}
	if noted < 8 || noted > 15 {
		t.Errorf("%d notes of 1 GiB", noted)
	}
	for range 20 {
		noted = 0
		x.watch(0, 0)
		if x.watch(0, gapBytes-1); noted > 0 {
			t.Error("a note of less than 64 MiB")
		}
	}
	if x.watch(0, gapBytes); noted != 1 {
		t.Errorf("%d notes of 64 MiB behind an update", noted)
	}
}

// comments is an input of long comments without an end.
type comments struct{}

func (comments) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '#'
	}
	p[len(p)-1] = '\n'
	return len(p), nil
}

// TestReusing: rows of keys take more memory than others.
func TestReusing(t *testing.T) {
	for _, c := range []struct {
		updates, unique uint64
		keys, much      bool
	}{
		{16e6, 16e6, false, false}, {8e6, 8e6, true, true}, {6e6, 6e6, true, false}, {64e6, 256, false, true},
	} {
		if much := reusing(c.updates, c.unique, c.keys) > muchMemory; much != c.much {
			t.Errorf("%+v: much %t", c, much)
		}
	}
}

// TestMuch: more than 1 GB is said, with what takes less.
func TestMuch(t *testing.T) {
	for bytes, said := range map[float64]bool{muchMemory: false, muchMemory + 1: true} {
		e, stderr := testEnv(nil)
		Much(e, bytes, "; --some takes less", "all of %s", "a.u32")
		for _, word := range []string{"all of a.u32 ", "1.0 GB", "--some takes less\n"} {
			if strings.Contains(stderr.String(), word) != said {
				t.Errorf("%v bytes: %q", bytes, stderr)
			}
		}
	}
}

// TestSimulation: what takes long or much memory is said first, behind what reading has said.
func TestSimulation(t *testing.T) {
	for _, c := range []struct {
		updates, bins uint64
		words         []string
	}{
		{10, 10, nil}, {10, 25_000_000, []string{"1.0 GB"}}, {10, 1 << 32, nil}, {slowUpdates, 9, nil},
		{slowUpdates + 1, 9, []string{"16000001"}}, {18_000_000, 9, []string{"18000000", "1.0 GB"}},
	} {
		e, stderr := testEnv(nil)
		s := Source{Indices: make([]uint32, c.updates), bins: c.bins}
		s.File, s.said = "a.u32", []string{"a.u32: said"}
		list := s.Simulation(e, 1<<26)
		if len(list) != 1+len(c.words) || list[0] != s.said[0] || strings.Count(stderr.String(), "\n") != len(c.words) {
			t.Errorf("%d updates of %d targets: %q, %q", c.updates, c.bins, list, stderr)
			continue
		}
		for i, words := range c.words {
			if !strings.Contains(list[i+1], words) {
				t.Errorf("%q, want %q", list[i+1], words)
			}
		}
	}
}

// TestCounted: counts that take much memory are warned of once.
func TestCounted(t *testing.T) {
	e, stderr := testEnv(nil)
	s := Source{env: e, much: 8 << 20}
	for bytes := uint64(0); bytes <= 16<<20; bytes += 4 << 20 {
		s.Counted(bytes)
		if told := stderr.Len() > 0; told != (bytes > 8<<20) {
			t.Errorf("of %d bytes: %q", bytes, stderr)
		}
	}
	if text := stderr.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "--sample") {
		t.Errorf("%q", text)
	}
}
