//go:build browser

package browser

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atomtune/atomtune/bindings/explorer"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/golden"
)

// The targets of the page.
const (
	mostMS    = 100
	mostBytes = 2000000
)

// page opens the built page, whose folder ATOMTUNE_EXPLORER names, and waits until all models are
// ready.
func page(t *testing.T) (*Chromium, *httptest.Server) {
	t.Helper()
	folder := os.Getenv("ATOMTUNE_EXPLORER")
	if folder == "" {
		t.Fatal("ATOMTUNE_EXPLORER names no folder with the built page: run script/explorer --check")
	}
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(server.Close)
	c, err := Start(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	must(t, c.View(1280, "light"))
	must(t, c.Do("Page.addScriptToEvaluateOnNewDocument", map[string]string{"source": keepProgram}, nil))
	must(t, c.Do("Page.navigate", map[string]any{"url": server.URL}, nil))
	begin := time.Now()
	for ready := false; !ready; {
		if time.Since(begin) > 30*time.Second {
			t.Fatalf("the page is not ready after 30 s: %s\n%s", text(t, c, "#load"), c.reports())
		}
		time.Sleep(20 * time.Millisecond)
		must(t, c.Evaluate("document.documentElement?.dataset.ready === 'yes'", &ready))
	}
	t.Logf("all models ready after %.1f s", time.Since(begin).Seconds())
	return c, server
}

// reports lists what the page wrote, for a test that cannot go on.
func (c *Chromium) reports() string {
	var all strings.Builder
	for _, e := range c.events {
		var p struct{ Args []struct{ Value any } }
		if err := json.Unmarshal(e.Params, &p); err == nil && e.Method == "Runtime.consoleAPICalled" {
			fmt.Fprintln(&all, p.Args)
		}
	}
	return all.String()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func text(t *testing.T, c *Chromium, selector string) (text string) {
	t.Helper()
	must(t, c.Evaluate(fmt.Sprintf("document.querySelector(%q).textContent", selector), &text))
	return text
}

// TestPage goes through the page once: starting a browser takes long.
func TestPage(t *testing.T) {
	c, server := page(t)
	t.Run("Answers", func(t *testing.T) { answers(t, c) })
	t.Run("Times", func(t *testing.T) { times(t, c) })
	t.Run("Errors", func(t *testing.T) { errorsShown(t, c) })
	t.Run("Keyboard", func(t *testing.T) { keyboard(t, c) })
	t.Run("Pointer", func(t *testing.T) { pointer(t, c) })
	t.Run("Names", func(t *testing.T) { names(t, c) })
	t.Run("Load", func(t *testing.T) { load(t, c) })
	t.Run("Views", func(t *testing.T) { views(t, c) })
	t.Run("Network", func(t *testing.T) { network(t, c, server.URL) })
}

// set changes a control as a user does, and returns the milliseconds until its answer was drawn.
func set(t *testing.T, c *Chromium, id, value string) (ms float64) {
	t.Helper()
	must(t, c.Evaluate(fmt.Sprintf(`new Promise((done, fail) => {
		const control = document.getElementById(%q), value = %q;
		control.value = value;
		if (control.value !== value) fail(new Error('no value ' + value));
		performance.clearMeasures();
		control.dispatchEvent(new Event('input', { bubbles: true }));
		control.dispatchEvent(new Event('change', { bubbles: true }));
		const look = () => {
			const [answer] = performance.getEntriesByName('answer');
			if (answer) done(answer.duration); else setTimeout(look);
		};
		look();
	})`, id, value), &ms))
	return ms
}

// curve returns the milliseconds from the last change until its curve was drawn.
func curve(t *testing.T, c *Chromium) (ms float64) {
	t.Helper()
	must(t, c.Evaluate(`new Promise((done, fail) => {
		const begin = performance.now();
		const look = () => {
			const [curve] = performance.getEntriesByName('curve');
			if (curve) done(curve.duration);
			else if (performance.now() - begin > 10000) fail(new Error('no curve'));
			else setTimeout(look);
		};
		look();
	})`, &ms))
	return ms
}

// answers compares what the page shows with what package explorer answers here.
func answers(t *testing.T, c *Chromium) {
	for _, name := range golden.Devices {
		set(t, c, "device", name)
		curve(t, c)
		set(t, c, "addresses", "0,1024,0,5,37,69")
		var typ, operation, call string
		must(t, c.Evaluate("document.getElementById('type').value", &typ))
		must(t, c.Evaluate("document.getElementById('operation').value", &operation))
		must(t, c.Evaluate("document.getElementById('call-type').value", &call))
		q := explorer.WarpQuestion{Device: name, Addresses: "0,1024,0,5,37,69",
			Operation: device.Operation(operation)}
		must(t, q.Type.UnmarshalText([]byte(typ)))
		want, err := explorer.Warp(q)
		must(t, err)
		if got := text(t, c, "#warp-result"); !strings.HasPrefix(got, want.Cycles+" cycles") {
			t.Errorf("%s: the page says %q of one warp, want %s cycles", name, got, want.Cycles)
		}
		if got := text(t, c, "#warp-text"); got != want.Text {
			t.Errorf("%s: the page's text is\n%s\nwant\n%s", name, got, want.Text)
		}
		b := explorer.CallQuestion{Device: name, Axis: "targets",
			Stream: explorer.Stream{Updates: 1 << 24, Targets: 1 << 10, Skew: 1, Run: 1}}
		must(t, b.Call.Type.UnmarshalText([]byte(call)))
		ranked, err := new(explorer.Explorer).Call(b)
		must(t, err)
		if got := text(t, c, "#call-result"); !strings.HasPrefix(got, ranked.Ranking[0].Name+" is ") {
			t.Errorf("%s: the page says %q, want %s", name, got, ranked.Ranking[0].Name)
		}
		wanted, err := new(explorer.Explorer).Curve(b)
		must(t, err)
		var wins int
		must(t, c.Evaluate("document.querySelectorAll('#wins li').length", &wins))
		if wins != len(wanted.Wins) {
			t.Errorf("%s: the page lists %d stretches of the fastest, want %d", name, wins,
				len(wanted.Wins))
		}
	}
	set(t, c, "device", "h200")
}

// times holds the median answer of each control, and the median curve, below the limit.
func times(t *testing.T, c *Chromium) {
	const tries = 5
	for _, x := range []struct {
		id     string
		curve  bool // it concerns the curve
		values [tries]string
	}{
		{"targets", true, [tries]string{"4", "12", "16", "20", "24"}},
		{"skew", true, [tries]string{"0", "0.5", "1.3", "1.7", "2"}},
		{"run", true, [tries]string{"1", "3", "5", "7", "8"}},
		{"updates", true, [tries]string{"10", "14", "18", "22", "28"}},
		{"axis", true, [tries]string{"skew", "run", "updates", "targets", "skew"}},
		{"call-type", true, [tries]string{"u32", "i32", "f64", "u64", "f32"}},
		{"value", true, [tries]string{"one", "loaded", "one", "loaded", "one"}},
		{"launch", true, [tries]string{"search", "", "search", "", "search"}},
		{"device", true, [tries]string{"h100", "gtx680", "h200", "c2075", "gtx980"}},
		{"pattern", false, [tries]string{"same", "lock", "bank", "random", "pairs"}},
		{"operation", false, [tries]string{"load", "add", "load", "add", "load"}},
		{"addresses", false, [tries]string{"1", "2 2", "3 3 3", "0 32 64", "1,-1,1"}},
	} {
		var all, curves []float64
		for _, value := range x.values {
			all = append(all, set(t, c, x.id, value))
			if x.curve {
				curves = append(curves, curve(t, c))
			}
		}
		for what, list := range map[string][]float64{"answer": all, "curve": curves} {
			slices.Sort(list)
			if len(list) > 0 && list[tries/2] > mostMS {
				t.Errorf("%s: the median %s takes %.0f ms, want %d at most: %.0f", x.id, what, list[tries/2], mostMS, list)
			}
		}
	}
	standard(t, c)
}

// standard sets the controls of the call as the page has them at first, and a device and a pattern for
// what follows.
func standard(t *testing.T, c *Chromium) {
	set(t, c, "device", "gtx580")
	set(t, c, "operation", "add")
	set(t, c, "pattern", "pairs")
	for id, value := range map[string]string{"targets": "10", "skew": "1", "run": "0",
		"updates": "24", "axis": "targets", "launch": "", "value": "loaded"} {
		set(t, c, id, value)
	}
}

// errorsShown: a wrong address is reported beside its control, and taking it back clears the
// report.
func errorsShown(t *testing.T, c *Chromium) {
	for _, wrong := range []string{"1, x", "-2", "99999999", "", strings.Repeat("1 ", 33)} {
		set(t, c, "addresses", wrong)
		if text(t, c, "#addresses-error") == "" {
			t.Errorf("addresses %q are not refused", wrong)
		}
	}
	set(t, c, "addresses", "1, 2")
	if got := text(t, c, "#addresses-error"); got != "" {
		t.Errorf("the error %q stays", got)
	}
	set(t, c, "pattern", "pairs")
}

// views: nothing is wider than the page at either width. With ATOMTUNE_PICTURES pictures of the
// page go to that folder.
func views(t *testing.T, c *Chromium) {
	folder := os.Getenv("ATOMTUNE_PICTURES")
	for _, width := range []int{1280, 390} {
		for _, scheme := range []string{"light", "dark"} {
			must(t, c.View(width, scheme))
			must(t, c.Evaluate("new Promise((done) => setTimeout(done, 200))", nil))
			var wide []string
			must(t, c.Evaluate(`[...document.querySelectorAll('body *')].filter((e) =>
				!e.closest('pre') && !e.closest('.skip') && e.getClientRects().length &&
				e.getBoundingClientRect().right > innerWidth + 0.5).map((e) => e.tagName + e.id)`, &wide))
			var scroll int
			must(t, c.Evaluate("document.documentElement.scrollWidth", &scroll))
			if len(wide) > 0 || scroll > width {
				t.Errorf("at %d pixels the page is %d wide: %v", width, scroll, wide)
			}
			for _, part := range []string{"html", "#warp", "#call"} {
				if folder == "" {
					break
				}
				data, err := c.Picture(part)
				must(t, err)
				name := fmt.Sprintf("%s-%d-%s.png", strings.Trim(part, "#"), width, scheme)
				must(t, os.WriteFile(filepath.Join(folder, name), data, 0o644))
			}
		}
	}
}

// network: the page loads its own files alone, within the limit of bytes, and reports no error.
func network(t *testing.T, c *Chromium, home string) {
	loaded, bytes := 0, 0.0
	for _, e := range c.events {
		var p struct {
			Request           struct{ URL string }
			EncodedDataLength float64
			Type              string // of what a script wrote
			Entry             struct{ Level, Text string }
		}
		must(t, json.Unmarshal(e.Params, &p))
		switch e.Method {
		case "Network.requestWillBeSent":
			loaded++
			if url := p.Request.URL; !strings.HasPrefix(url, home) && !strings.HasPrefix(url, "data:") {
				t.Errorf("the page asks for %s", url)
			}
		case "Network.loadingFinished":
			bytes += p.EncodedDataLength
		case "Network.loadingFailed", "Runtime.exceptionThrown":
			t.Errorf("%s: %s", e.Method, e.Params)
		case "Runtime.consoleAPICalled":
			if p.Type == "error" || p.Type == "warning" {
				t.Errorf("the page writes %s", e.Params)
			}
		case "Log.entryAdded":
			if p.Entry.Level == "error" || p.Entry.Level == "warning" {
				t.Errorf("the browser reports: %s", p.Entry.Text)
			}
		}
	}
	t.Logf("%d files, %.0f bytes with their headers", loaded, bytes)
	if loaded < 5 || bytes < 1e6 || bytes > mostBytes {
		t.Errorf("%d files of %.0f bytes were loaded, want %d bytes at most", loaded, bytes, mostBytes)
	}
}
