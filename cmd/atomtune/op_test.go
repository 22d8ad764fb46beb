package main

import (
	"strings"
	"testing"
)

// TestOperations: --op reaches the tuner and the simulator, and their documents
// name it where it is not add.
func TestOperations(t *testing.T) {
	inputs(t)
	for _, line := range []string{"choose indices.npy", "simulate --impl naive indices.npy"} {
		plain := need(t, line, document(t, strings.Fields(line)...), "type")
		if _, named := plain["op"]; named {
			t.Errorf("%s: the document names the operation", line)
		}
		for _, o := range []string{"mul", "mad", "div", "min", "max"} {
			doc := need(t, line, document(t, strings.Fields(line+" --type f32 --op "+o)...), "op")
			if doc["op"] != o {
				t.Errorf("%s --op %s: %v", line, o, doc["op"])
			}
			if right, ok := doc["correct"]; ok && right != true {
				t.Errorf("%s --op %s: wrong results", line, o)
			}
			if list, ok := doc["ranking"].([]any); ok && o == "mad" && len(list) != 2 {
				t.Errorf("%s --op mad ranks %d implementations, want naive and ss", line, len(list))
			}
		}
	}
	if text := done(t, "choose", "--op", "max", "--value", "one",
		"indices.npy"); !strings.Contains(text, "max by 1") {
		t.Errorf("choose --op max --value one:\n%s", text)
	}
	failed(t, exitFailed, "", strings.Fields("simulate --impl sort --op mad indices.npy"),
		"rounds each")
}
