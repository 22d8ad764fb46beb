package coordinator

import "testing"

// TestVisibility follows one write through what others see of it.
func TestVisibility(t *testing.T) {
	const writer, neighbour, stranger = 0, 1, 64
	m := newMemory(1)
	see := func(thread, group int32, at int64) uint32 { return m.load(thread, group, 0, at) }
	m.issue(operation{thread: writer, value: 7, commit: 100}, 0, 0)
	if see(writer, 0, 1) != 7 || see(neighbour, 0, 1) != 0 || see(stranger, 1, 1) != 0 {
		t.Error("a write is seen by others before a fence")
	}
	m.publish(writer, 1, 0)
	if see(neighbour, 0, 2) != 7 || see(stranger, 1, 2) != 0 {
		t.Error("after the fence the workgroup sees it, and nobody else")
	}
	if see(stranger, 1, 100) != 7 {
		t.Error("after its commit everybody sees it")
	}
}

// TestCoherence: a write that can see another one commits after it.
func TestCoherence(t *testing.T) {
	m := newMemory(2)
	m.issue(operation{value: 1, commit: 100}, 0, 0)
	if at := m.issue(operation{value: 2, commit: 50}, 0, 1); at != 100 {
		t.Errorf("the second write commits at %d, before the first", at)
	}
	if v := m.load(-1, -1, 0, 1000); v != 2 {
		t.Errorf("the word ends as %d", v)
	}
	// unseen by the other thread: the later commit counts
	m.issue(operation{value: 1, commit: 100}, 1, 0)
	m.issue(operation{thread: 64, group: 1, value: 2, commit: 50}, 1, 1)
	if v := m.load(-1, -1, 1, 1000); v != 1 {
		t.Errorf("the word ends as %d", v)
	}
}

// TestLocalOrder: operations of different threads take effect in the order of
// their times, and a thread's own on one word in its order.
func TestLocalOrder(t *testing.T) {
	l := newMemory(1)
	var first, second, other uint32
	l.issue(operation{commit: 50, value: 1, old: &first}, 0, 0)
	if at := l.issue(operation{commit: 10, value: 2, old: &second}, 0, 0); at != 50 {
		t.Errorf("a thread's second addition takes effect at %d", at)
	}
	l.issue(operation{thread: 1, commit: 20, value: 4, old: &other}, 0, 0)
	l.issue(operation{thread: 2, commit: 60, value: 9}, 0, 0)
	if v := l.load(0, 0, 0, 30); v != 4 {
		t.Errorf("%d after the other thread's addition", v)
	}
	if v := l.load(2, 0, 0, 30); v != 9 {
		t.Errorf("a thread does not see its own store, but %d", v)
	}
	l.commitAll(100)
	if other != 0 || first != 4 || second != 5 || l.words[0].value != 9 {
		t.Errorf("old values %d %d %d, the word ends as %d", other, first, second, l.words[0].value)
	}
}
