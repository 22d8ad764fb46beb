package main

import (
	"github.com/atomtune/atomtune/lab/plot"
)

// drawn writes a figure and returns the names of its files.
func drawn(name string, figure plot.Page) ([]string, error) {
	if err := plot.Write(name, figure); err != nil {
		return nil, err
	}
	return []string{name + ".svg", name + ".png"}, nil
}
