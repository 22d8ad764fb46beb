package main

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// padded returns targets of which every third is -1, and how many others there are.
func padded(n, k int) (list []int64, updates int) {
	for i, target := range hot(n, k) {
		if i%3 == 1 {
			list = append(list, -1)
			continue
		}
		list, updates = append(list, int64(target)), updates+1
	}
	return list, updates
}

// TestIgnore: padding is not an update in any format, and keeps its lane.
func TestIgnore(t *testing.T) {
	t.Chdir(t.TempDir())
	list, updates := padded(40000, 512)
	var text, table strings.Builder
	table.WriteString("cell,weight\n")
	for i, target := range list {
		fmt.Fprintf(&text, "%d\n", target)
		fmt.Fprintf(&table, "%d,%d\n", target, i)
	}
	write(t, "pad.npy", npy("<i8", len(list), encode(list)))
	write(t, "pad.u64", encode(list))
	write(t, "pad.txt", []byte(text.String()))
	write(t, "pad.csv", []byte(table.String()))
	var first map[string]any
	for _, file := range []string{"pad.npy", "pad.u64", "pad.txt", "--column cell pad.csv"} {
		doc := document(t, line("choose --ignore -1 "+file)...)
		s := statistics(t, doc)
		if first == nil {
			first = s
		}
		if s["updates"] != float64(updates) || s["ignored"] != float64(len(list)-updates) {
			t.Errorf("%s: %v updates and %v ignored, want %d", file, s["updates"], s["ignored"], updates)
		}
		if diff := cmp.Diff(first, s); diff != "" {
			t.Errorf("%s (-npy +file):\n%s", file, diff)
		}
		if list, _ := doc["warnings"].([]any); len(codeOf(doc)) > 0 || len(list) == 0 {
			t.Errorf("%s: code %v, warnings %v", file, doc["code"], list)
		}
	}
	for _, more := range []string{"--sample 64", "--calls 1000000 --sampling-cost 0 --bins 1000000"} {
		doc := document(t, line("choose --ignore -1 "+more+" pad.npy")...)
		s := need(t, "stream", doc["stream"], "updates ignored unique distinct_per_warp")
		if s["updates"] != float64(updates) || s["ignored"] != float64(len(list)-updates) {
			t.Errorf("%s: %v updates and %v ignored, want %d", more, s["updates"], s["ignored"], updates)
		}
		at, want := s["distinct_per_warp"].(float64), first["distinct_per_warp"].(float64)
		if at < 0.9*want || at > 1.1*want {
			t.Errorf("%s: %v different targets in a warp, want about %v", more, at, want)
		}
	}
	if said := beginning(done(t, line("analyze --ignore -1 pad.npy")...)); !strings.Contains(said, " 13,333 ") {
		t.Errorf("the beginning is %q", said)
	}
	failed(t, exitFailed, "", line("analyze pad.npy"), "update 1", "--ignore -1")
}

// TestIgnoreKeys: the ignored key has no index.
func TestIgnoreKeys(t *testing.T) {
	inputs(t)
	doc := document(t, line("analyze --keys --column city --ignore Bonn keys.csv")...)
	if doc["updates"] != 2.0 || doc["bins"] != 1.0 || doc["ignored"] != 1.0 {
		t.Errorf("%v updates of %v targets, %v ignored", doc["updates"], doc["bins"], doc["ignored"])
	}
	with := document(t, "analyze", "indices.npy")
	without := maps.Clone(document(t, "analyze", "--ignore", "99", "indices.npy"))
	if diff := cmp.Diff(with, without); diff != "" {
		t.Errorf("ignoring what does not occur:\n%s", diff)
	}
}

// TestIgnoreRefused: commands that treat every index as an update refuse --ignore.
func TestIgnoreRefused(t *testing.T) {
	inputs(t)
	write(t, "pad.txt", []byte("3\n-1\n5\n"))
	for _, command := range []string{"simulate --impl naive", "emit", "choose --simulate",
		"choose --save-plan plans.txt", "choose --model tree.json"} {
		failed(t, exitUsage, "", line(command+" --ignore -1 pad.txt"), "pad.txt", "--ignore", "1 of 3")
		done(t, line(command+" --ignore 99 indices.npy")...)
	}
	write(t, "all.txt", []byte("-1\n-1\n"))
	for _, command := range []string{"choose", "choose --width 8"} {
		failed(t, exitFailed, "", line(command+" --ignore -1 all.txt"), "all.txt")
	}
	// Indices with all bits set may be padding.
	write(t, "pad.u32", []byte("\x01\x00\x00\x00\xff\xff\xff\xff\x02\x00\x00\x00"))
	warnings := fmt.Sprint(document(t, line("choose pad.u32")...)["warnings"])
	if !strings.Contains(warnings, "--ignore -1") {
		t.Errorf("warnings %q", warnings)
	}
	failed(t, exitFailed, "", line("choose --width 8 pad.u32"), "pad.u32", "--ignore -1")
	write(t, "pad.u64", bytes.Repeat([]byte{255}, 16))
	failed(t, exitFailed, "", line("choose pad.u64"), "--ignore -1")
}
