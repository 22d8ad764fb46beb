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
	for _, other := range []string{"file", "format", "order", "targets_from", "elapsed_s", "bytes_per_second"} {
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
	best, _ := need(t, "choice", sorted["choice"], choiceFields)["implementation"].(string)
	level := statistics(t, sorted)["warp_level"].(float64)
	if level < 10*statistics(t, column)["warp_level"].(float64) {
		t.Errorf("sorted by row the level is %v, want ten times that of the column", level)
	}
	for _, file := range []string{"edges.txt", "--column 0 pairs.csv", "matrix.mtx"} {
		doc := document(t, line("choose --bins 50000 "+file)...)
		if diff := cmp.Diff(statistics(t, column), statistics(t, doc)); diff != "" {
			t.Errorf("%s (-column +file):\n%s", file, diff)
		}
		if diff := cmp.Diff(column["ranking"], doc["ranking"]); diff != "" {
			t.Errorf("%s (-column +file):\n%s", file, diff)
		}
		said := fmt.Sprint(doc["warnings"])
		for _, word := range []string{"sorted by row", "--order row", best + ", "} {
			if !strings.Contains(said, word) {
				t.Errorf("%s: the warnings %s lack %q", file, said, word)
			}
		}
		doc = document(t, line("choose --model tree.json --bins 50000 "+file)...)
		tree := document(t, line("choose --model tree.json --bins 50000 --order row "+file)...)
		choice, _ := need(t, "choice", doc["choice"], "implementation")["implementation"].(string)
		other, _ := need(t, "choice", tree["choice"], "implementation")["implementation"].(string)
		said = fmt.Sprint(doc["warnings"])
		if choice == other || !strings.Contains(said, "--order row") || !strings.Contains(said, other) {
			t.Errorf("%s: the tree takes %s, sorted %s, and warns %s", file, choice, other, said)
		}
		again := document(t, line("choose --bins 50000 --order row "+file)...)
		if diff := cmp.Diff(statistics(t, sorted), statistics(t, again)); diff != "" {
			t.Errorf("%s sorted (-edges +file):\n%s", file, diff)
		}
		if said := fmt.Sprint(again["warnings"], column["warnings"]); strings.Contains(said, "--order") {
			t.Errorf("%s: warnings of a sorted stream, or of a column: %s", file, said)
		}
	}
}

// TestOrderIsSaid: the first line says what gives the targets, and the order; so does the document.
func TestOrderIsSaid(t *testing.T) {
	inputs(t)
	write(t, "mirror.mtx",
		[]byte("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n3 1\n2 1\n"))
	write(t, "three.csv", []byte("from,to,weight\n1,2,5\n2,2,7\n"))
	for args, said := range map[string]string{
		"edges.txt": "edges.txt (edges, targets from axis row, the first of each line, in the order of the file)",
		"--axis col edges.txt": "edges.txt (edges, targets from axis col, the second of each line, " +
			"in the order of the file)",
		"--order row edges.txt":  "edges.txt (edges, targets from axis row, the first of each line, sorted by row)",
		"--order col matrix.mtx": "matrix.mtx (mtx, targets from axis row, sorted by column)",
		"--axis col matrix.mtx":  "matrix.mtx (mtx, targets from axis col, in the order of the file)",
		"mirror.mtx": "mirror.mtx (mtx, targets from axis row, in the order of the file, " +
			"mirrored entries after their own)",
		"--order row mirror.mtx": "mirror.mtx (mtx, targets from axis row, sorted by row, " +
			"mirrored entries included)",
		"--column to three.csv": "three.csv (csv, targets from column to, in the order of the file)",
		"indices.npy":           "indices.npy (npy, in the order of the file)",
	} {
		order := "file"
		if _, after, found := strings.Cut(args, "--order "); found {
			order = after[:3]
		}
		for _, command := range []string{"analyze", "choose", "choose --model tree.json",
			"simulate --impl naive", "emit --impl naive --out call.cu"} {
			text := beginning(done(t, line(command+" "+args)...))
			if !strings.Contains(text, said) {
				t.Errorf("%s %s: the beginning is %q, want %q in it", command, args, text, said)
			}
			doc := document(t, line(command+" "+args)...)
			if stream, ok := doc["stream"].(map[string]any); ok {
				doc = stream
			}
			if mirrored := strings.Contains(said, "mirrored"); doc["order"] != order ||
				(doc["mirrored"] == true) != mirrored {
				t.Errorf("%s %s: order %v, mirrored %v", command, args, doc["order"], doc["mirrored"])
			}
			from, _ := doc["targets_from"].(string)
			if told := strings.Contains(said, "targets from "); told != (from != "") ||
				told && !strings.Contains(said, "targets from "+from+", ") {
				t.Errorf("%s %s: targets from %q", command, args, from)
			}
		}
	}
	failed(t, exitUsage, "", line("analyze --order row indices.npy"), "indices.npy", "order row",
		"csv, mtx, edges")
	failed(t, exitUsage, "", line("choose --order row synth:uniform:n=64,k=2"), "order", "files")
}

// TestSeveralFiles: good files are answered, each bad one is reported in a line of its own, and the
// exit code is that of the worst.
func TestSeveralFiles(t *testing.T) {
	inputs(t)
	write(t, "bad.txt", []byte("1\nx\n"))
	for _, command := range []string{"analyze", "choose", "choose --model tree.json"} {
		for args, code := range map[string]int{
			"indices.npy bad.txt matrix.mtx missing.npy":   exitFailed,
			"bad.txt edges.txt missing.npy matrix.mtx":     exitFailed,
			"--axis col edges.txt indices.npy":             exitUsage,
			"--axis col edges.txt indices.npy missing.npy": exitFailed,
		} {
			got := atomtune("", append(line(command+" "+args), "--json")...)
			bad := 0
			for _, name := range []string{"bad.txt", "missing.npy", "indices.npy"} {
				if strings.Contains(got.stderr, name) {
					bad++
				}
			}
			answers := strings.Count(got.stdout, `"file": "`)
			files := len(strings.Fields(strings.TrimPrefix(args, "--axis col ")))
			if got.code != code || strings.Count(got.stderr, "\natomtune: ")+1 != bad ||
				answers != files-bad || !strings.HasPrefix(got.stdout, "{\n  \"files\": [") {
				t.Errorf("%s %s: exit code %d, %d answers, standard error\n%s", command, args, got.code,
					answers, got.stderr)
			}
		}
		failed(t, exitUsage, "", line(command+" --format wav indices.npy edges.txt"), "wav")
		if got := atomtune("", line(command+" bad.txt missing.npy")...); got.stdout != "" ||
			got.code != exitFailed || strings.Count(got.stderr, "\n") != 2 {
			t.Errorf("%s: no good file gives %d, %q, %q", command, got.code, got.stdout, got.stderr)
		}
	}
}

// beginning is the first words of an answer, wherever its lines break.
func beginning(text string) string {
	words := strings.Fields(text)
	return strings.Join(words[:min(len(words), 40)], " ")
}
