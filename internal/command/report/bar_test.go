package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/atomtune/atomtune/internal/command"
)

// TestNoBar: where standard error is no terminal, nothing is drawn.
func TestNoBar(t *testing.T) {
	var stderr bytes.Buffer
	e := &command.Env{Stderr: &stderr}
	b := NewBar(e, "reading", 10, UnitsBytes)
	if b != nil {
		t.Fatal("a bar for a buffer")
	}
	b.Show()
	b.Set(5)
	b.SetOf(5, 10)
	b.Stop()
	if stderr.Len() != 0 {
		t.Errorf("standard error %q, want nothing", stderr.String())
	}
}

// TestBar: a bar appears once its work has taken long, and not before.
func TestBar(t *testing.T) {
	var stderr bytes.Buffer
	clock := time.Unix(0, 0)
	e := &command.Env{Stderr: &stderr}
	e.Now = func() time.Time { return clock }
	b := makeBar(e, "reading indices", 10, UnitsBytes)
	clock = clock.Add(patience)
	b.Set(1)
	if stderr.Len() > 0 {
		t.Error("the bar appears at once")
	}
	clock = clock.Add(4*time.Second - patience)
	b.SetOf(2e6, 3e6)
	if text := stderr.String(); !strings.HasSuffix(text,
		"reading indices: 2.0 MB of 3.0 MB, about 2s left") {
		t.Fatalf("standard error %q", text)
	}
	b.Stop()
	b.Stop()
	if text := stderr.String(); !strings.HasSuffix(text, "reading indices: 2.0 MB of 3.0 MB\n") {
		t.Errorf("standard error %q", text)
	}
}

// TestBarCut: the bar of a work that ended too early says how far it came.
func TestBarCut(t *testing.T) {
	var stderr bytes.Buffer
	clock := time.Unix(0, 0)
	e := &command.Env{Stderr: &stderr}
	e.Now = func() time.Time { return clock }
	b := makeBar(e, "simulating points", 40, UnitsDefault)
	clock = clock.Add(patience + 1)
	b.Set(12)
	b.Cut()
	b.Stop()
	if text := stderr.String(); !strings.Contains(text, "simulating points: 12 of 40") || strings.Contains(text, "done") {
		t.Errorf("standard error %q", text)
	}
	(*bar)(nil).Cut()
}
