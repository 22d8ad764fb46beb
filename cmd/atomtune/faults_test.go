package main

import (
	"bytes"
	"os"
	"testing"
)

// fault is an input that no command can read: the content of the file, and
// what the error must name besides the file.
type fault struct {
	file    string
	content []byte
	args    []string
	words   []string
}

func faults(t *testing.T) []fault {
	t.Helper()
	good := npy("<u4", 8, encode([]uint32{0, 1, 2, 3, 4, 5, 6, 7}))
	packed := zip(t, bytes.Repeat([]byte("12345\n"), 1000))
	picture := luminance(t)
	banner := "%%MatrixMarket matrix coordinate pattern general\n"
	return []fault{
		{"empty.txt", nil, nil, nil},
		{"comments.txt", []byte("# nothing\n"), nil, nil},
		{"truncated.npy", good[:len(good)-6], nil, nil},
		{"header.npy", good[:40], nil, nil},
		{"floats.npy", npy("<f4", 2, encode([]float32{1, 2})), nil, []string{"f4"}},
		{"objects.npy", npy("|O", 2, make([]byte, 16)), nil, []string{"O"}},
		{"promises.npy", npy("<u4", 1000, encode([]uint32{1, 2, 3})), nil, []string{"1000"}},
		{"negative.npy", npy("<i4", 2, encode([]int32{4, -5})), nil, []string{"-5"}},
		{"negative.txt", []byte("4\n-5\n"), nil, []string{":2", "-5"}},
		{"above.txt", []byte("4\n17\n"), []string{"--bins", "16"}, []string{":2", "17", "16"}},
		{"above.npy", npy("<u4", 2, encode([]uint32{4, 17})), []string{"--bins", "16"}, []string{"17", "16"}},
		{"beyond.txt", []byte("4294967296\n"), nil, []string{":1", "4294967296"}},
		{"beyond.npy", npy("<u8", 1, encode([]uint64{1 << 32})), nil, []string{"4294967296"}},
		{"word.txt", []byte("1\n2\nthree\n"), nil, []string{":3", "three"}},
		{"count.mtx", []byte(banner + "3 3 4\n1 1\n2 2\n"), nil, []string{"4"}},
		{"zero.mtx", []byte(banner + "3 3 2\n1 1\n0 2\n"), nil, []string{":4", "0"}},
		{"broken.txt.gz", packed[:len(packed)/2], nil, []string{"gzip"}},
		{"unzipped.txt.gz", []byte("1\n2\n"), nil, []string{"gzip"}},
		{"broken.png", picture[:len(picture)/2], nil, nil},
		{"odd.u32", []byte{1, 2, 3, 4, 5}, nil, []string{"5"}},
		{"binary.dat", []byte{0, 1, 2, 3, 250, 251, 252}, nil, nil},
	}
}

// readers are the commands that read index streams.
var readers = [][]string{
	{"analyze"}, {"analyze", "--json"}, {"choose"}, {"choose", "--json"}, {"simulate", "--impl", "naive"},
}

func TestBrokenInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	checked := 0
	for _, f := range faults(t) {
		write(t, f.file, f.content)
		for _, command := range readers {
			args := append(append(append([]string{}, command...), f.args...), f.file)
			failed(t, exitFailed, "", args, append([]string{f.file}, f.words...)...)
			checked++
		}
	}
	if want := 21 * len(readers); checked != want {
		t.Errorf("checked %d command lines, want %d", checked, want)
	}
}

func TestInputsThatAreNone(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("folder", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, command := range readers {
		failed(t, exitFailed, "", append(command, "missing.npy"), "missing.npy")
		failed(t, exitFailed, "", append(command, "folder"), "folder", "directory")
		failed(t, exitFailed, "", append(command, "-"), "stdin")
		failed(t, exitFailed, "1\nx\n", append(command, "-"), "stdin:2", "x")
	}
}

func TestSecondFileBroken(t *testing.T) {
	inputs(t)
	write(t, "word.txt", []byte("one\n"))
	failed(t, exitFailed, "", []string{"analyze", "indices.npy", "word.txt"}, "word.txt:1")
	failed(t, exitFailed, "", []string{"choose", "indices.npy", "word.txt"}, "word.txt:1")
}

func TestBrokenProfile(t *testing.T) {
	inputs(t)
	write(t, "half.json", []byte(`{"schema": 1, "name": "half"`))
	write(t, "none.json", []byte(`{}`))
	for _, profile := range []string{"half.json", "none.json"} {
		failed(t, exitFailed, "", []string{"devices", profile}, profile)
		failed(t, exitFailed, "", []string{"analyze", "--device", profile, "indices.npy"}, profile)
		failed(t, exitFailed, "", []string{"choose", "--device", profile, "indices.npy"}, profile)
		failed(t, exitFailed, "", []string{"simulate", "--impl", "naive", "--device", profile, "indices.npy"}, profile)
	}
	failed(t, exitFailed, "", []string{"choose", "--device", "./missing.json", "indices.npy"}, "missing.json")
}

func TestBrokenModel(t *testing.T) {
	inputs(t)
	write(t, "model.json", []byte(`{"format": "something else"}`))
	failed(t, exitFailed, "", []string{"choose", "--model", "model.json", "indices.npy"}, "model.json")
	failed(t, exitFailed, "", []string{"choose", "--model", "missing.json", "indices.npy"}, "missing.json")
}
