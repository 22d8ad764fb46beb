//go:build browser

package browser

import (
	"fmt"
	"strings"
	"testing"
)

// focused describes the element that has the focus.
type focused struct {
	ID, Tag string
	Outline string // style of the ring
}

func focus(t *testing.T, c *Chromium) (f focused) {
	t.Helper()
	must(t, c.Evaluate(`(() => { const e = document.activeElement;
		return { ID: e.id || e.name || e.parentElement.id, Tag: e.tagName,
			Outline: getComputedStyle(e).outlineStyle }; })()`, &f))
	return f
}

// keyboard goes through the page by keys alone.
func keyboard(t *testing.T, c *Chromium) {
	must(t, c.Evaluate("document.activeElement.blur(); window.scrollTo(0, 0)", nil))
	var order []string
	for range 40 {
		must(t, c.Press("Tab"))
		f := focus(t, c)
		if f.Tag == "BODY" {
			break
		}
		if f.Outline == "none" {
			t.Errorf("the focus on %s %s is not visible", f.Tag, f.ID)
		}
		order = append(order, strings.ToLower(f.Tag)+"#"+f.ID)
		switch f.ID {
		case "board":
			lanes(t, c)
		case "targets":
			moves(t, c, "ArrowRight", "#targets-out", "#curve")
		case "round":
			moves(t, c, "ArrowDown", "#round-title", "#banks")
		}
	}
	got := strings.Join(order, " ")
	at := 0
	for want := range strings.FieldsSeq(`select#device select#operation select#type select#pattern
		select#top input#board textarea#addresses button#play input#round select#call-type select#value
		select#launch input#targets input#skew input#run input#updates select#axis button#more`) {
		next := strings.Index(got[at:], want)
		if next < 0 {
			t.Fatalf("no %s in the order of focus behind %s:\n%s", want, got[:at], got)
		}
		at += next + len(want)
	}
	if n := strings.Count(got, "input#board"); n != 1 {
		t.Errorf("the board takes %d stops of the Tab key, want 1", n)
	}
}

// lanes draws on the board by keys.
func lanes(t *testing.T, c *Chromium) {
	for key := range strings.FieldsSeq(
		"ArrowRight ArrowRight ArrowUp ArrowUp ArrowUp ArrowRight Home") {
		must(t, c.Press(key))
	}
	var list string
	must(t, c.Evaluate("document.getElementById('addresses').value", &list))
	if !strings.HasPrefix(list, "0, 1, 5, -1, 0, 1,") {
		t.Errorf("lane 2 three words up and lane 3 off give %s", list)
	}
}

// pointer draws on the board, from lane 8 at the bottom to lane 11 at the top.
func pointer(t *testing.T, c *Chromium) {
	set(t, c, "pattern", "pairs")
	// What the keys scrolled to comes to rest first.
	must(t, c.Evaluate("new Promise((done) => setTimeout(done, 1000))", nil))
	var box struct{ X, Y, Width, Height float64 }
	must(t, c.Evaluate(`(() => { const b = document.getElementById('board');
		b.scrollIntoView({ behavior: 'instant' });
		return b.getBoundingClientRect().toJSON(); })()`, &box))
	for i, kind := range []string{"mousePressed", "mouseMoved", "mouseMoved", "mouseMoved",
		"mouseReleased"} {
		lane, height := float64(8+min(i, 3)), float64(min(i, 3))/3
		must(t, c.Do("Input.dispatchMouseEvent", map[string]any{"type": kind, "button": "left",
			"buttons": 1, "clickCount": 1, "x": box.X + (lane+0.5)/32*box.Width,
			"y": box.Y + box.Height*(0.99-0.98*height)}, nil))
	}
	var list []int
	must(t, c.Evaluate("document.getElementById('addresses').value.split(',').map(Number)", &list))
	if len(list) != 32 || list[7] != 3 || list[8] > 0 || list[9] < 19 || list[9] > 22 ||
		list[10] < 40 || list[10] > 43 || list[11] < 61 || list[12] != 0 {
		t.Errorf("a line from lane 8 to lane 11 gives %v", list)
	}
}

// moves presses a key, and holds that what selectors show has changed.
func moves(t *testing.T, c *Chromium, key string, selectors ...string) {
	t.Helper()
	before := map[string]string{}
	inner := func(s string) (html string) {
		must(t, c.Evaluate(fmt.Sprintf("document.querySelector(%q).innerHTML", s), &html))
		return html
	}
	for _, s := range selectors {
		before[s] = inner(s)
	}
	must(t, c.Press(key))
	must(t, c.Evaluate("new Promise((done) => setTimeout(done, 300))", nil))
	for _, s := range selectors {
		if inner(s) == before[s] {
			t.Errorf("%s does not change %s", key, s)
		}
	}
}

// names holds that whatever takes the focus, and each picture, has a name for a screen reader, and
// that results are announced.
func names(t *testing.T, c *Chromium) {
	var tree struct {
		Nodes []struct {
			Role       struct{ Value string }
			Name       struct{ Value string }
			Properties []struct {
				Name  string
				Value struct{ Value any }
			}
			Ignored bool
		}
	}
	must(t, c.Do("Accessibility.getFullAXTree", nil, &tree))
	checked, live := 0, 0
	for _, n := range tree.Nodes {
		focusable := false
		for _, p := range n.Properties {
			focusable = focusable || p.Name == "focusable" && p.Value.Value == true
			if p.Name == "live" && p.Value.Value == "polite" && n.Role.Value == "status" {
				live++
			}
		}
		if n.Ignored || n.Role.Value == "RootWebArea" || n.Role.Value == "generic" ||
			!focusable && n.Role.Value != "image" {
			continue
		}
		checked++
		if strings.TrimSpace(n.Name.Value) == "" && n.Role.Value != "group" {
			t.Errorf("a %s has no name", n.Role.Value)
		}
	}
	if checked < 50 || live < 2 {
		t.Errorf("%d names checked, %d results announced", checked, live)
	}
}
