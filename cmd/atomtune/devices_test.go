package main

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/speedup"
)

// TestDevices: what devices prints as JSON is a profile that works wherever a name does; its page has the thresholds
// of speedup, as parameters that simulate takes, and with --all every quantity with its source.
func TestDevices(t *testing.T) {
	t.Chdir(t.TempDir())
	var list struct {
		Devices []deviceRow `json:"devices"`
	}
	decode(t, done(t, "devices", "--json"), &list)
	for i, name := range device.Names() {
		p := profile(t, name)
		if i >= len(list.Devices) || list.Devices[i].Name != name || list.Devices[i].Title != p.Title ||
			list.Devices[i].Profile != p.Origin() {
			t.Errorf("%s is not device %d of %+v", name, i, list)
		}
	}
	for _, name := range golden.Devices {
		original := profile(t, name)
		encoded := done(t, "devices", "--json", name)
		write(t, "copy.json", []byte(encoded))
		copied, err := device.Load("./copy.json")
		page := done(t, "devices", name)
		if err != nil || !reflect.DeepEqual(copied, original) || done(t, "devices", "copy.json") != page {
			t.Errorf("%s: the copy differs, %v", name, err)
		}
		sr, vr := speedup.Thresholds(original)
		for _, part := range []string{fmt.Sprintf("sr:t=%d", sr), fmt.Sprintf("vr:t=%d", vr)} {
			if _, err := impl.Parse(part); err != nil || !strings.Contains(page, part) {
				t.Errorf("%s: no %s, %v, in\n%s", name, part, err, page)
			}
		}
		all, list := unfilled(done(t, "devices", "--all", strings.ToUpper(name))), facts(reflect.ValueOf(*original), "")
		sourced := 0
		for _, q := range list {
			value, source := fmt.Sprintf("%s %s", q[0], q[1]), unfilled(fmt.Sprintf("%s: %s", q[3], q[4]))
			if !strings.Contains(all, value) || q[3] != "" && !strings.Contains(all, source) {
				t.Errorf("%s: no %q with source %q", name, value, source)
			}
			if q[3] != "" {
				sourced++
			}
		}
		if want := strings.Count(encoded, `"source":`); sourced != want || want < 30 ||
			!strings.Contains(page, fmt.Sprintf(" %d ", len(list))) {
			t.Errorf("%s: %d quantities, %d with a source, the profile has %d", name, len(list), sourced, want)
		}
	}
}

// TestDeviceTree: devices shows the tree by which choose decides: down its comparisons a stream comes to the leaf
// that choose comes to, leaves hold all streams, and a device without a tree is told how to get one.
func TestDeviceTree(t *testing.T) {
	inputs(t)
	done(t, line(small, "--out trained.json")...)
	var tree deviceTree
	decode(t, done(t, line("devices gtx680 --tree --json --model trained.json")...), &tree)
	streams, leaves := 0, 0
	var count func(n *deviceNode)
	count = func(n *deviceNode) {
		if n.Below != nil {
			count(n.Below)
			count(n.Others)
			return
		}
		leaves++
		for _, of := range n.Streams {
			streams += of
		}
	}
	count(tree.Root)
	if leaves != tree.Leaves || streams != 24 || tree.Points != 24 {
		t.Errorf("%d leaves of %d streams, the tree says %+v", leaves, streams, tree)
	}
	path, _ := need(t, "tree", document(t, line("choose --device gtx680 --model trained.json indices.npy")...)["tree"],
		"device leaves simulated_points class path")["path"].([]any)
	at := tree.Root
	for _, c := range path {
		step := need(t, "comparison", c, "feature value threshold below")
		if step["feature"] != at.Feature || step["threshold"] != at.Threshold {
			t.Fatalf("choose compares %v, the tree %s with %v", step, at.Feature, at.Threshold)
		}
		if step["below"] == true {
			at = at.Below
		} else {
			at = at.Others
		}
	}
	if at.Below != nil {
		t.Errorf("choose stops at %+v", at)
	}
	page := done(t, line("devices gtx680 --tree --model trained.json")...)
	if whole := done(t, line("devices gtx680 --model trained.json")...); !strings.HasSuffix(whole, page) ||
		strings.Count(page, "\n") < 2*leaves-1 {
		t.Errorf("%s is not an end of %s", page, whole)
	}
	other := *profile(t, "gtx580")
	other.Name = "other"
	data, err := other.Encode()
	if err != nil {
		t.Fatal(err)
	}
	write(t, "other.json", data)
	if page := done(t, line("devices other.json")...); !strings.Contains(unfilled(page), trainCommand("other.json")) {
		t.Errorf("no command in %s", page)
	}
	failed(t, exitFailed, "", line("devices h200 --model trained.json"), "gtx680")
	failed(t, exitUsage, "", line("devices --tree"), "NAME")
}
