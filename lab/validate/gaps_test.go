package validate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestJudge: a known gap fails where it has widened, where it has closed, and where nothing is checked
// of its name; another limit may not become a gap.
func TestJudge(t *testing.T) {
	gaps := map[string]Gap{"error": {20, "why"}}
	for _, c := range []struct {
		what string
		item string
		at   float64
		want string // words of the failures, "" for none
	}{
		{"as it was", "error", 18, ""}, {"widened", "error", 21, "has widened"},
		{"closed", "error", 9, "has closed"}, {"at the limit", "error", 10, "has closed"},
		{"unknown", "other", 11, "other: 11 %, limit 10; error: a known gap of nothing that is checked"},
	} {
		checks := []Check{AtMost(c.item, c.at, 10, UnitPercent, 1)}
		got := strings.Join(Judge(checks, gaps), "; ")
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
		if (checks[0].State() == Failed) != (c.want != "") {
			t.Errorf("%s: state %s", c.what, checks[0].State())
		}
	}
	speed := []Check{AtLeast("error", 5, 10, "1/s", 1)}
	if got := Judge(speed, gaps); len(got) != 1 || !strings.Contains(got[0], "limit 10") {
		t.Errorf("a speed as a known gap: %q", got)
	}
}

// TestListsAreJudged: every list of known gaps belongs to a package that judges by it, and has a test.
func TestListsAreJudged(t *testing.T) {
	lists, err := filepath.Glob("*/gaps.csv")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"choices/gaps.csv", "kernels/gaps.csv", "locks/gaps.csv"}; !slices.Equal(lists, want) {
		t.Errorf("lists %q, want %q", lists, want)
	}
	for _, list := range lists {
		data, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		if gaps, err := DecodeGaps(list, data); err != nil || len(gaps) == 0 {
			t.Errorf("%s: %d gaps, %v", list, len(gaps), err)
		}
		judges, tested := false, false
		files, err := filepath.Glob(filepath.Join(filepath.Dir(list), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			isTest := strings.HasSuffix(f, "_test.go")
			judges = judges || !isTest && strings.Contains(string(text), "validate.Judge(")
			tested = tested || isTest && strings.Contains(string(text), ".Failed")
		}
		if !judges || !tested {
			t.Errorf("%s: judged %v, what failed is tested %v", list, judges, tested)
		}
	}
}
