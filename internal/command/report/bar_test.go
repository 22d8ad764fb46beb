package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/atomtune/atomtune/internal/command"
)

// TestNoBar: where standard error is not a terminal, nothing is drawn.
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

// TestBar: a bar appears once its work has taken long, and not before; that of a work that ended too early says how
// far it came.
func TestBar(t *testing.T) {
	for _, cut := range []bool{false, true} {
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
		if text := stderr.String(); !strings.HasSuffix(text, "reading indices: 2.0 MB of 3.0 MB, about 2s left") {
			t.Fatalf("standard error %q", text)
		}
		if cut {
			b.Cut()
		}
		b.Stop()
		b.Stop()
		if whole := strings.HasSuffix(stderr.String(), "reading indices: 2.0 MB of 3.0 MB\n"); whole == cut {
			t.Errorf("cut %t: standard error %q", cut, stderr.String())
		}
	}
	(*bar)(nil).Cut()
}
