package main

import (
	"bytes"
	"os"
	"strconv"
	"strings"
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
		{"floats.npy", npy("<f4", 2, encode([]float32{1, 2.5})), nil, []string{"2.5", "update 1"}},
		{"objects.npy", npy("|O", 2, make([]byte, 16)), nil, []string{"O"}},
		{"promises.npy", npy("<u4", 1000, encode([]uint32{1, 2, 3})), nil, []string{"1000"}},
		{"negative.npy", npy("<i4", 2, encode([]int32{4, -5})), nil, []string{"-5"}},
		{"negative.txt", []byte("4\n-5\n"), nil, []string{":2", "-5"}},
		{"above.txt", []byte("4\n17\n"), []string{"--bins", "16"}, []string{":2", "17", "16"}},
		{"above.npy", npy("<u4", 2, encode([]uint32{4, 17})), []string{"--bins", "16"},
			[]string{"17", "16"}},
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

// warps returns a line of comma-separated addresses: 0, 1, 2, ... and then the
// last fields.
func warps(lanes int, last ...string) []byte {
	var fields []string
	for l := range lanes {
		fields = append(fields, strconv.Itoa(l))
	}
	return []byte(strings.Join(append(fields, last...), ",") + "\n")
}

// patternFaults are broken patterns; measured says that cycles stand behind
// them.
func patternFaults(t *testing.T, measured bool) []fault {
	t.Helper()
	row := func(lanes int, last ...string) []byte {
		if measured {
			last = append(last, "105.5")
		}
		return warps(lanes, last...)
	}
	good := row(32)
	second := func(line []byte) []byte { return append(append([]byte("# note\n"), good...), line...) }
	packed := zip(t, bytes.Repeat(good, 1000))
	device := []string{"--device", "gtx580"}
	return []fault{
		{"empty.txt", nil, nil, nil},
		{"comments.txt", []byte("# nothing\n"), nil, nil},
		{"short.txt", second(row(31)), nil, []string{":3", "32"}},
		{"long.txt", second(row(33)), nil, []string{":3", "32"}},
		{"negative.txt", second(row(31, "-2")), nil, []string{":3", "lane 31", "-2"}},
		{"beyond.txt", second(row(31, "12288")), device, []string{":3", "lane 31", "12288"}},
		{"wide.txt", second(row(31, "6144")), append(device, "--type", "u64"),
			[]string{":3", "lane 31", "6144"}},
		{"huge.txt", second(row(31, "99999999999999999999")), nil,
			[]string{":3", "lane 31", "99999999999999999999"}},
		{"word.txt", second(row(31, "x")), nil, []string{":3", "lane 31", "x"}},
		{"endless.txt", second(bytes.Repeat([]byte("1"), 100000)), nil, []string{":3", "65536"}},
		{"broken.txt.gz", packed[:len(packed)-9], nil, []string{"gzip"}},
		{"unzipped.txt.gz", good, nil, []string{"gzip"}},
		{"magic.txt.gz", []byte{0x1f, 0x8b, 9, 9, 9}, nil, []string{"gzip"}},
	}
}

// TestBrokenPatterns: latency and fit name the place and the value.
func TestBrokenPatterns(t *testing.T) {
	t.Chdir(t.TempDir())
	checked := 0
	for _, command := range [][]string{
		{"latency", "--patterns"}, {"latency", "--explain", "--json", "--patterns"}, {"fit"},
		{"fit", "--json"},
	} {
		for _, f := range patternFaults(t, command[0] == "fit") {
			write(t, f.file, f.content)
			args := append(append([]string{}, command...), f.file)
			failed(t, exitFailed, "", append(args, f.args...), append([]string{f.file}, f.words...)...)
			checked++
		}
		failed(t, exitFailed, "", append(command, "missing.txt"), "missing.txt")
		failed(t, exitFailed, "", append(command, "."), "directory")
		failed(t, exitFailed, "", append(command, "-"), "stdin")
		failed(t, exitFailed, "0,1\n", append(command, "-"), "stdin:1")
	}
	if checked != 4*13 {
		t.Errorf("checked %d command lines, want %d", checked, 4*13)
	}
}

// TestBrokenMeasurements: what only fit can find.
func TestBrokenMeasurements(t *testing.T) {
	inputs(t)
	good := warps(32, "105.5")
	for _, f := range []fault{
		{"nan.csv", append(good, warps(32, "NaN")...), nil, []string{":2", "NaN"}},
		{"zero.csv", append(good, warps(32, "0")...), nil, []string{":2", `"0"`}},
		{"below.csv", append(good, warps(32, "-105")...), nil, []string{":2", "-105"}},
		{"infinite.csv", append(good, warps(32, "Inf")...), nil, []string{":2", "Inf"}},
		{"few.csv", bytes.Repeat(good, 40), nil, []string{"13 of 40 rows", "32"}},
		{"narrow.csv", []byte("a,b,cycles\n1,2,3\n"), nil, []string{"2 lanes", "32"}},
		{"names.csv", []byte(strings.Repeat("l,", 32) + "a_cycles,b_cycles\n" +
			string(warps(32, "1", "2"))), nil, []string{"u32_add", "a, b"}},
		{"idle.csv", append(bytes.Repeat(good, 70), []byte(strings.Repeat("-1,", 32)+"9\n")...), nil,
			[]string{"no lane is active"}},
	} {
		write(t, f.file, f.content)
		failed(t, exitFailed, "", []string{"fit", f.file}, append([]string{f.file}, f.words...)...)
	}
	failed(t, exitFailed, "", []string{"fit", "--out", "missing/mine.json", "measurements.csv"},
		"missing/mine.json")
	failed(t, exitFailed, "", []string{"patterns", "--out", "missing/patterns.txt"},
		"missing/patterns.txt")
	failed(t, exitFailed, "", []string{"latency", "--device", "hd5870", "--type", "u64", "--patterns",
		"patterns.txt"}, "hd5870", "u64")
	failed(t, exitFailed, "", []string{"latency", "--device", "gtx580", "--op", "casloop",
		"--patterns", "patterns.txt"}, "casloop")
}

// TestPlainWords: no message speaks of Go's types and functions.
func TestPlainWords(t *testing.T) {
	inputs(t)
	checked := 0
	for _, c := range []struct{ content, want string }{
		{`[]`, "found array, want an object"},
		{`{"schema": "one"}`, "schema: found string, want a number"},
		{`{"schema": 1, "core": {"clock": {"value": {}}}}`,
			"core.clock.value: found object, want a number"},
		{`{"schema": 1,`, "it ends too early"},
		{`{"schema": 1, "nothing": 2}`, `unknown field "nothing"`},
		{`{"name": 7}`, "name: found number, want a string"},
		{`{"exchange": {"has_match": {"value": 3}}}`, "found number, want true or false"},
	} {
		write(t, "profile.txt", []byte(c.content))
		got := atomtune("", "devices", "profile.txt")
		if got.code != exitFailed || !strings.Contains(got.stderr, c.want) ||
			strings.Contains(got.stderr, "Go ") || strings.Contains(got.stderr, "json:") {
			t.Errorf("%s: exit code %d, %s", c.content, got.code, got.stderr)
		}
		checked++
	}
	write(t, "model.json", []byte(`[]`))
	failed(t, exitFailed, "", []string{"choose", "--model", "model.json", "indices.npy"},
		"found array, want an object")
	failed(t, exitFailed, "", []string{"train", "--out", "m.json", "--merge", "model.json"},
		"model.json")
	write(t, "model.json", []byte("[]\n"))
	failed(t, exitFailed, "", []string{"train", "--out", "m.json", "--merge", "model.json"},
		"model.json:1", "found array, want an object")
	if checked < 7 {
		t.Errorf("checked %d profiles", checked)
	}
}

// readers are the commands that read index streams.
var readers = [][]string{
	{"analyze"}, {"analyze", "--json"}, {"choose"}, {"choose", "--json"},
	{"simulate", "--impl", "naive"}, {"report"}, {"analyze", "--width", "4"}, {"choose", "--width", "4"},
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
		failed(t, exitFailed, "", append(command, "missing.npy"),
			"missing.npy: there is no such file")
		failed(t, exitFailed, "", append(command, "folder"), "folder", "directory")
		failed(t, exitFailed, "", append(command, "-"), "stdin")
		failed(t, exitFailed, "1\nx\n", append(command, "-"), "stdin:2", "x")
	}
}

func TestBrokenProfile(t *testing.T) {
	inputs(t)
	write(t, "half.json", []byte(`{"schema": 1, "name": "half"`))
	write(t, "none.json", []byte(`{}`))
	for _, profile := range []string{"half.json", "none.json"} {
		failed(t, exitFailed, "", []string{"devices", profile}, profile)
		failed(t, exitFailed, "", []string{"analyze", "--device", profile, "indices.npy"}, profile)
		failed(t, exitFailed, "", []string{"choose", "--device", profile, "indices.npy"}, profile)
		failed(t, exitFailed, "", []string{"simulate", "--impl", "naive", "--device", profile,
			"indices.npy"}, profile)
	}
	failed(t, exitFailed, "", []string{"choose", "--device", "./missing.json", "indices.npy"},
		"missing.json")
}

func TestBrokenModel(t *testing.T) {
	inputs(t)
	write(t, "model.json", []byte(`{"format": "something else"}`))
	failed(t, exitFailed, "", []string{"choose", "--model", "model.json", "indices.npy"}, "model.json")
	failed(t, exitFailed, "", []string{"choose", "--model", "missing.json", "indices.npy"},
		"missing.json")
}
