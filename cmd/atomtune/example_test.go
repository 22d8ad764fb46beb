package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/datasets/synth"
)

// TestExamples runs every line of every command's examples.
func TestExamples(t *testing.T) {
	inputs(t)
	commands, lines := 0, 0
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
		if !cmd.HasParent() {
			return
		}
		commands++
		before := lines
		for line := range strings.Lines(cmd.Example) {
			line = strings.TrimSpace(line)
			if !strings.Contains("| "+line+" ", "| atomtune "+cmd.Name()+" ") {
				t.Errorf("example %q of %s does not call atomtune %s", line, cmd.Name(), cmd.Name())
				continue
			}
			lines++
			if testing.Short() && cmd.Name() == "fit" {
				continue // minutes under the race detector
			}
			if strings.Contains(line, "|") {
				pipeline(t, line)
			} else {
				done(t, strings.Fields(line)[1:]...)
			}
		}
		if lines == before {
			t.Errorf("%s has no example", cmd.Name())
		}
	}
	root := newRoot(newEnv(nil, nil, nil))
	root.InitDefaultHelpCmd()
	walk(root)
	if commands < 11 || lines < 30 {
		t.Errorf("ran %d lines of %d commands, want more", lines, commands)
	}
}

// pipeline runs a line in a shell whose atomtune is this test binary.
func pipeline(t *testing.T, line string) {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll("bin", 0o755); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\n%s=1 exec '%s' \"$@\"\n", asCommand, path)
	if err := os.WriteFile("bin/atomtune", []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command("sh", "-c", `PATH="$PWD/bin:$PATH"; `+line)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil || stderr.Len() > 0 || stdout.Len() == 0 {
		t.Errorf("%s: %v, standard error %q, standard output of %d bytes", line, err, stderr.String(), stdout.Len())
	}
}

// TestHelp: every command explains itself, as text and as JSON.
func TestHelp(t *testing.T) {
	for _, cmd := range newRoot(newEnv(nil, nil, nil)).Commands() {
		text := done(t, cmd.Name(), "--help")
		if !strings.Contains(unfilled(text), unfilled(cmd.Long)) || !strings.Contains(text, "Examples:") {
			t.Errorf("help of %s lacks its text or its examples:\n%s", cmd.Name(), text)
		}
		doc := document(t, cmd.Name(), "--help")
		if help, _ := doc["help"].(string); !strings.Contains(unfilled(help), unfilled(cmd.Long)) {
			t.Errorf("help of %s as JSON lacks its text: %v", cmd.Name(), doc)
		}
	}
	if doc := document(t, "help", "analyze"); doc["command"] != "atomtune analyze" {
		t.Errorf("help analyze is about %v", doc["command"])
	}
}

// unfilled is a text without its line breaks, which differ with the width.
func unfilled(text string) string { return strings.Join(strings.Fields(text), " ") }

// TestHelpForm: help fits 80 columns, but for commands to copy; it shows the usage before the text,
// and the families of streams last.
func TestHelpForm(t *testing.T) {
	for _, cmd := range newRoot(newEnv(nil, nil, nil)).Commands() {
		text := done(t, cmd.Name(), "--help")
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if utf8.RuneCountInString(line) > 80 && !strings.Contains(cmd.Example, line) {
				t.Errorf("help of %s: a long line: %s", cmd.Name(), line)
			}
		}
		parts := []string{"\nUsage:\n", unfilled(cmd.Long), "\nExamples:\n", "\nFlags:\n",
			"\nFlags of every command:\n", "\nA stream that is made on the spot "}
		last := 0
		for _, part := range parts {
			at := strings.Index(text, part[:min(len(part), 30)])
			if at >= 0 && at < last {
				t.Errorf("help of %s: %q stands too early", cmd.Name(), part)
			}
			last = max(last, at)
		}
	}
}

// TestFamilies: the commands that take streams list how to make them.
func TestFamilies(t *testing.T) {
	checked := 0
	for _, command := range []string{"analyze", "choose", "simulate"} {
		text := done(t, command, "--help")
		plain := unfilled(text)
		for _, f := range synth.Families() {
			if !strings.Contains(text, "\n  "+f.Name+" ") || !strings.Contains(plain, f.Summary) {
				t.Errorf("help of %s does not explain the family %s", command, f.Name)
			}
			for _, p := range f.Params {
				if !strings.Contains(text, "\n    "+p.Name+"=") || !strings.Contains(plain, p.Summary) {
					t.Errorf("help of %s does not explain the parameter %s of %s", command, p.Name, f.Name)
				}
				checked++
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d parameters checked", checked)
	}
}
