package main

import (
	archive "archive/zip"
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// injected begins a line if an end of line in a name ends a line of the output.
const injected = "INJECTED"

// hostile are names that a terminal would obey.
var hostile = []string{
	"a\x1b[31mred\x1b[0m\x1b[2J\x1b]0;title\a\r" + injected + "\b\v\f\x01\x1f\x7f\u009b31m\u0086\u202etxt.exe\u2066b\u2069" +
		"\u200b\u200d\ufeff\ufdd0",
	"a\n" + injected + "\r\n\t" + injected + "\u0085" + injected + "\u2028" + injected + "\u2029\\\n" + injected + "*/\n" +
		injected + "/*\"'\"\"\"\n" + injected,
	"a\xff\xc3",
}

// shown fails where a text would do anything to a terminal, or a name has begun a line.
func shown(t *testing.T, what, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%q: no UTF-8: %q", what, text)
	}
	for _, r := range text {
		if r != '\n' && !unicode.IsGraphic(r) {
			t.Errorf("%q: %q reaches the terminal: %q", what, r, text)
			return
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), injected) {
			t.Errorf("%q: a name begins the line %q", what, line)
		}
	}
}

// hostileProfile is a profile with a text wherever a profile takes any.
func hostileProfile(t *testing.T, text string) []byte {
	t.Helper()
	p := *profile(t, "h200")
	p.Title = text
	data, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	quoted, err := json.Marshal(strings.ToValidUTF8(text, "?"))
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`("(?:source|rationale)": )"(?:[^"\\]|\\.)*"`).ReplaceAllFunc(data, func(pair []byte) []byte {
		key, _, _ := bytes.Cut(pair, []byte(": "))
		return slices.Concat(key, []byte(": "), quoted)
	})
}

// archived is an npz file of arrays of these names.
func archived(t *testing.T, array []byte, names ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := archive.NewWriter(&out)
	for _, name := range names {
		f, err := w.Create(name + ".npy")
		if err == nil {
			_, err = f.Write(array)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestHostileNames: whatever files, profiles, columns, arrays, keys and words of a command line are
// called, a terminal shows it and obeys none of it, and no name begins a line.
func TestHostileNames(t *testing.T) {
	inputs(t)
	array, works := read(t, "indices.npy"), map[string]int{}
	for _, name := range hostile {
		label := strings.NewReplacer("\"", "\"\"").Replace(name)
		file := strings.ReplaceAll(name, "/", "|")
		at := func(kind string) string { return map[string]string{"P": "./"}[kind] + kind + file }
		for kind, data := range map[string][]byte{
			"T": []byte("1\n2\n3\n1\n"), "K": []byte(name + "\n" + name + "\nb\n"),
			"P": hostileProfile(t, name), "N": archived(t, array, name, "b"),
			"C": []byte("\"" + label + "\",\"x" + label + "\"\n1,2\n3,4\n"),
		} {
			write(t, at(kind), data)
		}
		for _, args := range [][]string{
			{name}, {"--" + name}, {"choose", "--" + name}, {"choose", "--type", name}, {"choose", "--only", name},
			{"choose", "--device", name}, {"choose", "missing" + name}, {"choose", "--model", name, at("T")},
			{"choose", "--format", name, at("T")}, {"choose", "--launch", name}, {"choose", "synth:" + name},
			{"help", name}, {"man", name}, {"completion", name}, {"export", "--to", name}, {"emit", "--to", name},
			{"train", "--target", name}, {"train", "--out", "no/" + name, "--points", "24"}, {"version", name},
			{"tables", name}, {"patterns", name}, {"fit", name}, {"report", "--out", "no/" + name},
			{"analyze", at("T")}, {"analyze", "--keys", at("K")}, {"analyze", at("K")}, {"analyze", at("P")},
			{"analyze", at("C")}, {"analyze", "--column", name, at("C")}, {"analyze", "--column", "q" + name, at("C")},
			{"analyze", at("N")}, {"analyze", "--array", name, at("N")}, {"analyze", "--array", "q" + name, at("N")},
			{"analyze", "--ignore", name, at("T")}, {"analyze", "--order", name, at("T")}, {"analyze", "--bins", name},
			{"choose", at("T")}, {"choose", at("T"), at("T")}, {"choose", "--device", at("P"), at("T")},
			{"simulate", "--impl", "naive", at("T")}, {"simulate", "--impl", name, at("T")},
			{"simulate", "--impl", "naive", "--device", at("P"), at("T")}, {"emit", "--out", "call.cu", at("T")},
			{"optimize", at("T")}, {"optimize", "--device", at("P"), "--words", "8"}, {"latency", "--patterns", at("T")},
			{"fit", at("C")}, {"fit", at("T")}, {"devices", at("P")}, {"devices", name},
			{"patterns", "--count", "1", "--out", at("O")},
			{"emit", at("T")}, {"emit", "--device", at("P"), at("T")},
			{"emit", "--out", at("O"), at("T")},
			{"report", "--out", at("O"), at("C")},
			{"report", "--out", "page.html", "--device", at("P"), at("T")},
		} {
			got := atomtune("", args...)
			what := strings.Join(args, " ")
			shown(t, what, got.Stdout)
			shown(t, what, got.Stderr)
			if got.Code == exitDone {
				works[args[0]]++
			}
			if got.Code == exitDone && got.Stdout == "" || got.Code != exitDone && got.Stderr == "" {
				t.Errorf("%q: exit code %d, and nothing said", what, got.Code)
			}
		}
		shown(t, "the program of "+name, string(read(t, "call.cu")))
		shown(t, "the page by a profile called "+name, string(read(t, "page.html")))
		shown(t, "the page of all of "+name, string(read(t, at("O"))))
		doc := document(t, "analyze", at("T"))
		if got := doc["file"]; got != at("T") && utf8.ValidString(name) {
			t.Errorf("JSON names %q, not %q", got, at("T"))
		}
	}
	for _, name := range []string{"analyze", "choose", "devices", "emit", "optimize", "patterns", "report", "simulate"} {
		if works[name] < len(hostile) {
			t.Errorf("%s worked %d times, with %d names", name, works[name], len(hostile))
		}
	}
}
