package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestNoBar: where standard error is no terminal, nothing is drawn.
func TestNoBar(t *testing.T) {
	var stderr bytes.Buffer
	e := newEnv(nil, nil, &stderr)
	b := e.newBar("reading", 10, unitsBytes)
	if b != nil {
		t.Fatal("a bar for a buffer")
	}
	b.show()
	b.set(5)
	b.setOf(5, 10)
	b.stop()
	if stderr.Len() != 0 {
		t.Errorf("standard error %q, want nothing", stderr.String())
	}
}

// TestBar: a bar appears once its work has taken long, and not before.
func TestBar(t *testing.T) {
	var stderr bytes.Buffer
	clock := time.Unix(0, 0)
	e := newEnv(nil, nil, &stderr)
	e.Now = func() time.Time { return clock }
	b := makeBar(e, "reading indices", 10, unitsBytes)
	clock = clock.Add(patience)
	b.set(1)
	if b.writer != nil {
		t.Error("the bar appears at once")
	}
	clock = clock.Add(1)
	b.setOf(10, 10)
	if b.writer == nil {
		t.Fatal("the bar never appears")
	}
	b.stop()
	if !strings.Contains(stderr.String(), "reading indices") {
		t.Errorf("standard error %q lacks the message", stderr.String())
	}
}

// TestBarCut: the bar of a work that ended too early says how far it came.
func TestBarCut(t *testing.T) {
	var stderr bytes.Buffer
	clock := time.Unix(0, 0)
	e := newEnv(nil, nil, &stderr)
	e.Now = func() time.Time { return clock }
	b := makeBar(e, "simulating points", 40, unitsDefault)
	clock = clock.Add(patience + 1)
	b.set(12)
	b.cut()
	b.stop()
	text := stderr.String()
	if !strings.Contains(text, "simulating points: 12 of 40") || !strings.Contains(text, "stopped") || strings.Contains(text, "done") {
		t.Errorf("standard error %q", text)
	}
	(*bar)(nil).cut()
}
