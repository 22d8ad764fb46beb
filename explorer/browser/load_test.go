//go:build browser

package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// What load asks for.
const (
	changes      = 10000
	batch        = 1000
	settledAfter = 5000 // changes in which what is kept for later answers has come to its size
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
		{"the process", settled.process, now.process},
	} {
		if !(m.then > 0 && m.ends <= mostGrowth*m.then) {
			t.Errorf("memory of %s grows from %.0f to %.0f", m.name, m.then, m.ends)
		}
	}
	standard(t, c)
	answers(t, c)
}

// memory is what the page takes, in bytes but for the elements.
type memory struct{ scripts, program, elements, process float64 }

func (m memory) String() string {
	return fmt.Sprintf("scripts have %.2f MB, the program %.1f MB, there are %.0f elements and handlers, "+
		"and the process has %.1f MB", m.scripts/1e6, m.program/1e6, m.elements, m.process/1e6)
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
	return memory{heap.UsedSize, program, counters.Nodes + counters.JSEventListeners,
		resident(t, c.command.Process.Pid)}
}

// resident is the memory of the process that renders the page, a descendant of the browser's.
func resident(t *testing.T, browser int) (bytes float64) {
	t.Helper()
	list, err := filepath.Glob("/proc/[0-9]*/cmdline")
	must(t, err)
	for _, path := range list {
		command, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(command), "--type=renderer") ||
			!descends(filepath.Base(filepath.Dir(path)), browser) {
			continue // it has ended, or is another one
		}
		status, err := os.ReadFile(filepath.Join(filepath.Dir(path), "status"))
		must(t, err)
		_, rest, _ := strings.Cut(string(status), "VmRSS:")
		kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
		must(t, err)
		bytes = max(bytes, 1024*kb)
	}
	return bytes
}

// descends tells whether a process comes from another.
func descends(pid string, from int) bool {
	for pid != "0" && pid != "1" {
		if pid == strconv.Itoa(from) {
			return true
		}
		status, err := os.ReadFile(filepath.Join("/proc", pid, "status"))
		if err != nil {
			return false
		}
		_, rest, _ := strings.Cut(string(status), "PPid:")
		pid = strings.Fields(rest)[0]
	}
	return false
}
