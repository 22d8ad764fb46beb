//go:build browser

// Package browser tries the explorer's page in a headless Chromium, which it drives over the pipe
// of the DevTools protocol. Its tests need Chromium and the built page: script/explorer --check
// runs them.
package browser

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// Chromium is a browser with one page.
type Chromium struct {
	command *exec.Cmd
	in      *os.File
	out     *bufio.Reader
	session string
	last    int
	events  []Event
}

// Event is what the page reported unasked.
type Event struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// message is what goes over the pipe, in either direction.
type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// Start starts a browser that keeps its files in a folder, and opens an empty page.
func Start(folder string) (*Chromium, error) {
	toBrowser, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, fromBrowser, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c := &Chromium{in: in, out: bufio.NewReader(out)}
	c.command = exec.Command("chromium", "--headless=new", "--no-sandbox", "--disable-gpu",
		"--disable-background-networking", "--disable-component-update", "--no-first-run",
		"--hide-scrollbars", "--remote-debugging-pipe", "--user-data-dir="+folder)
	c.command.ExtraFiles = []*os.File{toBrowser, fromBrowser} // numbers 3 and 4
	if err := c.command.Start(); err != nil {
		return nil, err
	}
	if err := errors.Join(toBrowser.Close(), fromBrowser.Close()); err != nil {
		return nil, err
	}
	return c, c.open()
}

func (c *Chromium) open() error {
	var target struct{ TargetID string }
	if err := c.Do("Target.createTarget", map[string]any{"url": "about:blank"}, &target); err != nil {
		return err
	}
	var attached struct{ SessionID string }
	if err := c.Do("Target.attachToTarget", map[string]any{"targetId": target.TargetID,
		"flatten": true}, &attached); err != nil {
		return err
	}
	c.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network", "Accessibility"} {
		if err := c.Do(domain+".enable", nil, nil); err != nil {
			return err
		}
	}
	return nil
}

// Close ends the browser.
func (c *Chromium) Close() error {
	err := c.Do("Browser.close", nil, nil)
	_ = c.command.Wait() // of a process that was told to end
	return err
}

// Do runs a command of the protocol and decodes its result, if it is asked for.
func (c *Chromium) Do(method string, params, result any) error {
	c.last++
	if params == nil {
		params = struct{}{}
	}
	data, err := json.Marshal(message{ID: c.last, Session: c.session, Method: method, Params: params})
	if err != nil {
		return err
	}
	if _, err := c.in.Write(append(data, 0)); err != nil {
		return err
	}
	for {
		data, err := c.out.ReadBytes(0)
		if err != nil {
			return fmt.Errorf("%s: the browser is gone: %w", method, err)
		}
		var m struct {
			message
			Params json.RawMessage `json:"params"`
		}
		if err := json.Unmarshal(data[:len(data)-1], &m); err != nil {
			return err
		}
		switch {
		case m.ID == 0:
			c.events = append(c.events, Event{m.Method, m.Params})
		case m.ID != c.last:
		case m.Error != nil:
			return fmt.Errorf("%s: %s", method, m.Error.Message)
		case result == nil:
			return nil
		default:
			return json.Unmarshal(m.Result, result)
		}
	}
}

// Evaluate runs an expression in the page, waits if it is a promise, and decodes its value, if that
// is asked for.
func (c *Chromium) Evaluate(expression string, value any) error {
	var r struct {
		Result    struct{ Value json.RawMessage }
		Exception *struct{ Exception struct{ Description string } } `json:"exceptionDetails"`
	}
	if err := c.Do("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true,
		"returnByValue": true}, &r); err != nil {
		return err
	}
	if r.Exception != nil {
		return fmt.Errorf("%s: %s", expression, r.Exception.Exception.Description)
	}
	if value == nil {
		return nil
	}
	return json.Unmarshal(r.Result.Value, value)
}

// keys are the codes of keys without a character.
var keys = map[string]int{"Tab": 9, "Home": 36, "End": 35, "ArrowLeft": 37, "ArrowUp": 38,
	"ArrowRight": 39, "ArrowDown": 40}

// Press presses a key and lets it go.
func (c *Chromium) Press(key string) error {
	for _, kind := range []string{"rawKeyDown", "keyUp"} {
		if err := c.Do("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": key, "code": key,
			"windowsVirtualKeyCode": keys[key]}, nil); err != nil {
			return err
		}
	}
	return nil
}

// View sets the width of the page and its colours, light or dark.
func (c *Chromium) View(width int, scheme string) error {
	return errors.Join(
		c.Do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900,
			"deviceScaleFactor": 1, "mobile": width < 500}, nil),
		c.Do("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{
			{"name": "prefers-color-scheme", "value": scheme}}}, nil))
}

// Picture takes a picture of an element of the page, as PNG.
func (c *Chromium) Picture(selector string) ([]byte, error) {
	var clip map[string]float64
	err := c.Evaluate(fmt.Sprintf(`(() => {
		const b = document.querySelector(%q).getBoundingClientRect();
		return { x: b.x + scrollX, y: b.y + scrollY, width: b.width, height: b.height, scale: 1 };
	})()`, selector), &clip)
	if err != nil {
		return nil, err
	}
	var r struct{ Data []byte }
	err = c.Do("Page.captureScreenshot", map[string]any{"format": "png",
		"captureBeyondViewport": true, "clip": clip}, &r)
	return r.Data, err
}
