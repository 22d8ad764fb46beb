package main

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"
)

// fault is an input that no command can read: the content of the file, and what the error must name besides the file.
type fault struct {
	file    string
	content []byte
	args    string
	words   string
}

func faults(t *testing.T) []fault {
	t.Helper()
	good := npy("<u4", 8, encode([]uint32{0, 1, 2, 3, 4, 5, 6, 7}))
	packed := zip(t, bytes.Repeat([]byte("12345\n"), 1000))
	picture := luminance(t)
	banner := "%%MatrixMarket matrix coordinate pattern general\n"
	return []fault{
		{"empty.txt", nil, "", ""},
		{"comments.txt", []byte("# nothing\n"), "", ""},
		{"truncated.npy", good[:len(good)-6], "", ""},
		{"header.npy", good[:40], "", ""},
		{"floats.npy", npy("<f4", 2, encode([]float32{1, 2.5})), "", "2.5 1"},
		{"promises.npy", npy("<u4", 1000, encode([]uint32{1, 2, 3})), "", "1000"},
		{"negative.txt", []byte("4\n-5\n"), "", ":2 -5"},
		{"above.txt", []byte("4\n17\n"), "--bins 16", ":2 17 16"},
		{"above.npy", npy("<u4", 2, encode([]uint32{4, 17})), "--bins 16", "17 16"},
		{"beyond.npy", npy("<u8", 1, encode([]uint64{1 << 32})), "", "4294967296"},
		{"word.txt", []byte("1\n2\nthree\n"), "", ":3 three"},
		{"count.mtx", []byte(banner + "3 3 4\n1 1\n2 2\n"), "", "4"},
		{"zero.mtx", []byte(banner + "3 3 2\n1 1\n0 2\n"), "", ":4 0"},
		{"broken.txt.gz", packed[:len(packed)/2], "", "gzip"},
		{"broken.png", picture[:len(picture)/2], "", ""},
		{"odd.u32", []byte{1, 2, 3, 4, 5}, "", "5"},
		{"binary.dat", []byte{0, 1, 2, 3, 250, 251, 252}, "", ""},
	}
}

// warps returns a line of comma-separated addresses: 0, 1, 2, ... and then the last fields.
func warps(lanes int, last ...string) []byte {
	var fields []string
	for l := range lanes {
		fields = append(fields, strconv.Itoa(l))
	}
	return []byte(strings.Join(append(fields, last...), ",") + "\n")
}

// patternFaults are broken patterns; measured says that cycles stand behind them.
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
	return []fault{
		{"empty.txt", nil, "", ""},
		{"short.txt", second(row(31)), "", ":3 32"},
		{"long.txt", second(row(33)), "", ":3 32"},
		{"negative.txt", second(row(31, "-2")), "", ":3 31 -2"},
		{"beyond.txt", second(row(31, "12288")), "--device gtx580", ":3 31 12288"},
		{"wide.txt", second(row(31, "6144")), "--device gtx580 --type u64", ":3 31 6144"},
		{"huge.txt", second(row(31, "99999999999999999999")), "", ":3 31 99999999999999999999"},
		{"word.txt", second(row(31, "x")), "", ":3 31 x"},
		{"endless.txt", second(bytes.Repeat([]byte("1"), 100000)), "", ":3 65536"},
		{"broken.txt.gz", packed[:len(packed)-9], "", "gzip"},
	}
}

// TestBrokenInputs: whatever reads a file names it, the place and the value.
func TestBrokenInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	good := warps(32, "105.5")
	measured := append(patternFaults(t, true),
		fault{"nan.csv", append(good, warps(32, "NaN")...), "", ":2 NaN"},
		fault{"zero.csv", append(good, warps(32, "0")...), "", `:2 "0"`},
		fault{"below.csv", append(good, warps(32, "-105")...), "", ":2 -105"},
		fault{"infinite.csv", append(good, warps(32, "Inf")...), "", ":2 Inf"},
		fault{"few.csv", bytes.Repeat(good, 40), "", "13 40 32"},
		fault{"narrow.csv", []byte("a,b,cycles\n1,2,3\n"), "", "2 32"},
		fault{"names.csv", []byte(strings.Repeat("l,", 32) + "a_cycles,b_cycles\n" + string(warps(32, "1", "2"))), "", "a, b"},
		fault{"idle.csv", append(bytes.Repeat(good, 70), []byte(strings.Repeat("-1,", 32)+"9\n")...), "", ""})
	all, few := faults(t), faults(t)[10:11]
	for command, list := range map[string][]fault{
		"analyze": all, "choose --json": all, "simulate --impl naive": few, "report": few, "analyze --width 4": few,
		"choose --width 4": few, "latency --patterns": patternFaults(t, false), "fit": measured,
		"latency --explain --json --patterns": patternFaults(t, false)[:2],
	} {
		for _, f := range list {
			write(t, f.file, f.content)
			failed(t, exitFailed, "", line(command, f.file, f.args), line(f.file, f.words)...)
		}
		for file, word := range map[string]string{"missing.npy": "missing.npy", ".": "directory", "-": "stdin"} {
			failed(t, exitFailed, "", line(command, file), word)
		}
		if failed(t, exitFailed, "x\n", line(command, "-"), "stdin:1"); len(list) == 0 {
			t.Errorf("%s: no faults", command)
		}
	}
}

// TestBrokenProfilesAndModels: what is broken in them is said with its file and place, and never in Go's words.
func TestBrokenProfilesAndModels(t *testing.T) {
	inputs(t)
	for _, c := range []struct{ content, words string }{
		{`[]`, "array"}, {`{"schema": "one"}`, "schema: string"}, {`{}`, ""}, {`{"schema": 1, "name": "half"`, ""},
		{`{"schema": 1, "core": {"clock": {"value": {}}}}`, "core.clock.value: object"},
		{`{"schema": 1,`, ""}, {`{"schema": 1, "nothing": 2}`, "nothing"}, {`{"name": 7}`, "name: number"},
		{`{"exchange": {"has_match": {"value": 3}}}`, "number"},
	} {
		write(t, "broken.txt", []byte(c.content))
		for _, command := range []string{"devices", "analyze indices.npy --device", "choose indices.npy --device",
			"simulate --impl naive indices.npy --device"} {
			got := atomtune("", line(command, "broken.txt")...)
			got.Failed(t, exitFailed, line("broken.txt", c.words)...)
			if strings.Contains(got.Stderr, "Go ") || strings.Contains(got.Stderr, "json:") {
				t.Errorf("%s: %s", c.content, got.Stderr)
			}
		}
	}
	for content, word := range map[string]string{"[]": "array", `{"format": "something else"}`: ""} {
		write(t, "broken.json", []byte(content))
		failed(t, exitFailed, "", line("choose --model broken.json indices.npy"), "broken.json", word)
	}
	for _, content := range []string{"[]", "[]\n"} {
		write(t, "broken.json", []byte(content))
		failed(t, exitFailed, "", line("train --out m.json --merge broken.json"), "broken.json")
	}
	if _, err := os.Stat("m.json"); err == nil {
		t.Error("a failed run left its output")
	}
}
