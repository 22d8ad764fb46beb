package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
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
			args := strings.Fields(line)
			if len(args) < 2 || args[0] != "atomtune" || (cmd.Name() != args[1]) {
				t.Errorf("example %q of %s does not begin with atomtune %s", line, cmd.Name(), cmd.Name())
				continue
			}
			done(t, args[1:]...)
			lines++
		}
		if lines == before {
			t.Errorf("%s has no example", cmd.Name())
		}
	}
	root := newRoot(&env{})
	root.InitDefaultHelpCmd()
	walk(root)
	if commands < 8 || lines < 12 {
		t.Errorf("ran %d lines of %d commands, want more", lines, commands)
	}
}

// TestHelp: every command explains itself, as text and as JSON.
func TestHelp(t *testing.T) {
	for _, cmd := range newRoot(&env{}).Commands() {
		text := done(t, cmd.Name(), "--help")
		if !strings.Contains(text, cmd.Long) || !strings.Contains(text, "Examples:") {
			t.Errorf("help of %s lacks its text or its examples:\n%s", cmd.Name(), text)
		}
		doc := document(t, cmd.Name(), "--help")
		if help, _ := doc["help"].(string); !strings.Contains(help, cmd.Long) {
			t.Errorf("help of %s as JSON lacks its text: %v", cmd.Name(), doc)
		}
	}
	if doc := document(t, "help", "analyze"); doc["command"] != "atomtune analyze" {
		t.Errorf("help analyze is about %v", doc["command"])
	}
}
