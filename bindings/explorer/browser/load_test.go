//go:build browser

package browser

import (
	"fmt"
	"testing"
)

// What load asks for.
const (
	changes      = 10000
	batch        = 1000
	settledAfter = 7000 // changes in which what is kept for later answers has come to its size
	mostGrowth   = 1.1  // of memory from then on
)

// change makes changes of random controls in a row, from a number and a seed. Nine of ten wait for their
// answer.
const change = `(async (count, seed) => {
	const draw = (n) => { seed = (seed * 1103515245 + 12345) %% 2147483648; return (seed >> 8) %% n; };
	const controls = [...document.querySelectorAll('select, input[type=range], textarea')];
	for (let i = 0; i < count; i++) {
		const control = controls[draw(controls.length)];
		if (control.tagName === 'SELECT') {
			control.selectedIndex = draw(control.options.length);
		} else if (control.tagName === 'TEXTAREA') {
			control.value = Array.from({ length: draw(40) }, () => draw(3000) - 1).join(' ');
		} else {
			const [low, high, step] = [control.min, control.max, control.step || 1].map(Number);
			control.value = low + step * draw(1 + Math.round((high - low) / step));
		}
		performance.clearMeasures('answer');
		control.dispatchEvent(new Event('input', { bubbles: true }));
		control.dispatchEvent(new Event('change', { bubbles: true }));
		const begin = performance.now();
		while (draw(10) > 0 && performance.getEntriesByName('answer').length === 0) {
			if (performance.now() - begin > 10000) throw new Error('no answer to ' + control.id);
			await new Promise((next) => setTimeout(next));
		}
	}
	return controls.length;
})(%d, %d)`

// keepProgram lets tests see the memory of the page's program.
const keepProgram = `(() => {
	const start = WebAssembly.instantiateStreaming;
	WebAssembly.instantiateStreaming = async (...of) => {
		const made = await start.apply(WebAssembly, of);
		globalThis.programMemory = made.instance.exports.mem;
		return made;
	};
})()`

// load holds the memory of the page and of its program, after many changes, to what it was after
// some of them, and that the page still answers.
func load(t *testing.T, c *Chromium) {
	must(t, c.Do("Accessibility.disable", nil, nil)) // it keeps a tree of its own
	var settled, now memory
	for done := batch; done <= changes; done += batch {
		var controls int
		must(t, c.Evaluate(fmt.Sprintf(change, batch, done), &controls))
		if controls < 12 {
			t.Fatalf("the page has %d controls", controls)
		}
		now = memoryOf(t, c)
		t.Logf("after %d changes %v", done, now)
		if done == settledAfter {
			settled = now
		}
	}
	for _, m := range []struct {
		name       string
		then, ends float64
	}{
		{"scripts", settled.scripts, now.scripts},
		{"the program", settled.program, now.program},
		{"elements", settled.elements, now.elements},
	} {
		if !(m.then > 0 && m.ends <= mostGrowth*m.then) {
			t.Errorf("memory of %s grows from %.0f to %.0f", m.name, m.then, m.ends)
		}
	}
	standard(t, c)
	answers(t, c)
}

// memory is what the page takes, in bytes but for the elements.
type memory struct{ scripts, program, elements float64 }

func (m memory) String() string {
	return fmt.Sprintf("scripts have %.2f MB, the program %.1f MB, there are %.0f elements and handlers",
		m.scripts/1e6, m.program/1e6, m.elements)
}

// memoryOf first has the browser give back what it can.
func memoryOf(t *testing.T, c *Chromium) (m memory) {
	t.Helper()
	must(t, c.Evaluate("new Promise((done) => setTimeout(done, 500))", nil))
	must(t, c.Do("Memory.simulatePressureNotification", map[string]string{"level": "critical"}, nil))
	must(t, c.Do("HeapProfiler.collectGarbage", nil, nil))
	must(t, c.Evaluate("new Promise((done) => setTimeout(done, 500))", nil))
	var heap struct{ UsedSize float64 }
	must(t, c.Do("Runtime.getHeapUsage", nil, &heap))
	var program float64
	must(t, c.Evaluate("programMemory.buffer.byteLength", &program))
	var counters struct{ Nodes, JSEventListeners float64 }
	must(t, c.Do("Memory.getDOMCounters", nil, &counters))
	return memory{heap.UsedSize, program, counters.Nodes + counters.JSEventListeners}
}
