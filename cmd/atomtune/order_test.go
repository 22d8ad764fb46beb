package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// unsorted writes the same 500,000 edges of 50,000 nodes as edges.txt, as pairs.csv, as matrix.mtx
// and, the first node of each alone, as column.u32.
func unsorted(t *testing.T) {
	t.Helper()
	const edges, nodes = 500_000, 50_000
	random := rand.New(rand.NewPCG(1, 2))
	var list, pairs, matrix strings.Builder
	fmt.Fprintf(&matrix, "%%%%MatrixMarket matrix coordinate pattern general\n%d %d %d\n", nodes,
		nodes, edges)
	column := make([]uint32, edges)
	for i := range column {
		column[i] = random.Uint32N(nodes)
		second := random.Uint32N(nodes)
		fmt.Fprintf(&list, "%d %d\n", column[i], second)
		fmt.Fprintf(&pairs, "%d,%d\n", column[i], second)
		fmt.Fprintf(&matrix, "%d %d\n", column[i]+1, second+1)
	}
	write(t, "edges.txt", []byte(list.String()))
	write(t, "pairs.csv", []byte(pairs.String()))
	write(t, "matrix.mtx", []byte(matrix.String()))
	write(t, "column.u32", encode(column))
}

// statistics are those of a document's stream.
func statistics(t *testing.T, doc map[string]any) map[string]any {
	t.Helper()
	s := maps.Clone(need(t, "stream", doc["stream"], streamFields+" order"))
	for _, other := range []string{"file", "format", "index", "order", "targets_from", "elapsed_s", "bytes_per_second"} {
		delete(s, other)
	}
	return s
}

// TestOrder: a column is the same stream in every format, in the order of the file, and another
// where lines are sorted; choose says so.
func TestOrder(t *testing.T) {
	t.Chdir(t.TempDir())
	unsorted(t)
	write(t, "tree.json", embeddedTree(t))
	column := document(t, line("choose --bins 50000 column.u32")...)
	sorted := document(t, line("choose --bins 50000 --order row edges.txt")...)
	if one, other := chosen(t, column), chosen(t, sorted); one["implementation"] == other["implementation"] {
		t.Fatalf("both orders choose %v", one["implementation"])
	}
	level := statistics(t, sorted)["warp_level"].(float64)
	if level < 10*statistics(t, column)["warp_level"].(float64) {
		t.Errorf("sorted by row the level is %v, want ten times that of the column", level)
	}
	for _, file := range []string{"edges.txt", "--column 0 pairs.csv", "matrix.mtx"} {
		doc := document(t, line("choose --bins 50000 "+file)...)
		for _, pair := range [][2]any{{statistics(t, column), statistics(t, doc)}, {column["ranking"], doc["ranking"]}} {
			if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
				t.Errorf("%s (-column +file):\n%s", file, diff)
			}
		}
		again := document(t, line("choose --bins 50000 --order row "+file)...)
		if diff := cmp.Diff(statistics(t, sorted), statistics(t, again)); diff != "" {
			t.Errorf("%s sorted (-edges +file):\n%s", file, diff)
		}
		if said := fmt.Sprint(again["warnings"], column["warnings"]); strings.Contains(said, "--order") {
			t.Errorf("%s: warnings of a sorted stream, or of a column: %s", file, said)
		}
		byTree := document(t, line("choose --model tree.json --bins 50000 "+file)...)
		tree := document(t, line("choose --model tree.json --bins 50000 --order row "+file)...)
		for _, c := range []struct{ of, best map[string]any }{{doc, sorted}, {byTree, tree}} {
			said, best := fmt.Sprint(c.of["warnings"]), fmt.Sprint(chosen(t, c.best)["implementation"])
			warned := strings.Contains(said, "--order row") && strings.Contains(said, best)
			if other := chosen(t, c.of)["implementation"] != best; warned != other {
				t.Errorf("%s: sorted %s is chosen, another than in this order: %v, the warnings are %s", file, best, other, said)
			}
		}
	}
}

// TestOrderIsSaid: the document says what gives the targets, and the order; the first line names both.
func TestOrderIsSaid(t *testing.T) {
	inputs(t)
	write(t, "mirror.mtx",
		[]byte("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n3 1\n2 1\n"))
	write(t, "three.csv", []byte("from,to,weight\n1,2,5\n2,2,7\n"))
	for args, from := range map[string]string{
		"edges.txt":              "axis row, the first of each line",
		"--axis col edges.txt":   "axis col, the second of each line",
		"--order row edges.txt":  "axis row, the first of each line",
		"--order col matrix.mtx": "axis row",
		"--axis col matrix.mtx":  "axis col",
		"mirror.mtx":             "axis row",
		"--order row mirror.mtx": "axis row",
		"--column to three.csv":  "column to",
		"indices.npy":            "",
	} {
		order := "file"
		if _, after, found := strings.Cut(args, "--order "); found {
			order = after[:3]
		}
		for _, command := range []string{"analyze", "choose", "choose --model tree.json",
			"simulate --impl naive", "emit --impl naive --out call.cu"} {
			doc := document(t, line(command+" "+args)...)
			if stream, ok := doc["stream"].(map[string]any); ok {
				doc = stream
			}
			if got, _ := doc["targets_from"].(string); doc["order"] != order || got != from ||
				(doc["mirrored"] == true) != strings.Contains(args, "mirror.mtx") {
				t.Errorf("%s %s: order %v, mirrored %v, targets from %q", command, args, doc["order"], doc["mirrored"], got)
			}
			text := beginning(done(t, line(command+" "+args)...))
			if !strings.Contains(text, from) || !strings.Contains(text, map[string]string{"file": "order", "row": "row",
				"col": "column"}[order]) || strings.Contains(text, "mirrored") != strings.Contains(args, "mirror.mtx") {
				t.Errorf("%s %s: the beginning is %q", command, args, text)
			}
		}
	}
}

// TestSeveralFiles: good files are answered, each bad one is reported in a line of its own, and the
// exit code is that of a failure, or where there is no answer that of the worst.
func TestSeveralFiles(t *testing.T) {
	inputs(t)
	write(t, "bad.txt", []byte("1\nx\n"))
	for _, command := range []string{"analyze", "choose", "choose --model tree.json"} {
		for args, code := range map[string]int{
			"indices.npy bad.txt matrix.mtx missing.npy":   exitFailed,
			"bad.txt missing.npy":                          exitFailed,
			"--axis col edges.txt indices.npy":             exitFailed,
			"--axis col indices.npy":                       exitUsage,
			"--axis col edges.txt indices.npy missing.npy": exitFailed,
		} {
			got := atomtune("", append(line(command+" "+args), "--json")...)
			bad, answers := 0, strings.Count(got.Stdout, `"file": "`)
			for _, name := range []string{"bad.txt", "missing.npy", "indices.npy"} {
				bad += min(1, strings.Count(got.Stderr, name))
			}
			files := len(strings.Fields(strings.TrimPrefix(args, "--axis col ")))
			if got.Code != code || strings.Count(got.Stderr, "\natomtune: ")+1 != bad || answers != files-bad ||
				answers > 0 && !strings.HasPrefix(got.Stdout, "{\n  \"files\": [") {
				t.Errorf("%s %s: %d answers, %+v", command, args, answers, got)
			}
		}
		failed(t, exitUsage, "", line(command+" --format wav indices.npy edges.txt"), "wav")
	}
}

// beginning is the first words of an answer, wherever its lines break.
func beginning(text string) string {
	words := strings.Fields(text)
	return strings.Join(words[:min(len(words), 40)], " ")
}
