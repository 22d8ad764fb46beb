package coordinator

import "testing"

// TestVisibility follows one write through what others see of it.
func TestVisibility(t *testing.T) {
	const writer, neighbour, stranger = 0, 1, 64
	m := newMemory(1)
	see := func(thread, group int32, at int64) uint32 { return m.load(thread, group, 0, at) }
	m.store(writer, 0, 0, 7, 0, 100)
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
	m.store(0, 0, 0, 1, 0, 100)
	if at := m.store(0, 0, 0, 2, 1, 50); at != 100 {
		t.Errorf("the second write commits at %d, before the first", at)
	}
	if v := m.final(0); v != 2 {
		t.Errorf("the word ends as %d", v)
	}
	m.store(0, 0, 1, 1, 0, 100) // unseen by the other thread: the later commit counts
	m.store(64, 1, 1, 2, 1, 50)
	if v := m.final(1); v != 1 {
		t.Errorf("the word ends as %d", v)
	}
}

// TestLocalOrder: operations of different threads take effect in the order of
// their times, and a thread's own on one word in its order.
func TestLocalOrder(t *testing.T) {
	l := newLocal(1)
	var first, second, other uint32
	l.issue(localOp{thread: 0, effect: 50, value: 1, result: &first}, 0)
	if at := l.issue(localOp{thread: 0, effect: 10, value: 2, result: &second}, 0); at != 50 {
		t.Errorf("a thread's second addition takes effect at %d", at)
	}
	l.issue(localOp{thread: 1, effect: 20, value: 4, result: &other}, 0)
	l.issue(localOp{thread: 2, effect: 60, store: true, value: 9}, 0)
	if v := l.load(0, 0, 30); v != 4 {
		t.Errorf("%d after the other thread's addition", v)
	}
	if v := l.load(2, 0, 30); v != 9 {
		t.Errorf("a thread does not see its own store, but %d", v)
	}
	l.applyDue(100)
	if other != 0 || first != 4 || second != 5 || l.words[0] != 9 {
		t.Errorf("old values %d %d %d, the word ends as %d", other, first, second, l.words[0])
	}
}
