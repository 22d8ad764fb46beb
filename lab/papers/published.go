package papers

import (
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Published are the numbers that a paper gives. Each stands once, so that what rows display
// and what they compare with cannot differ.
type Published struct {
	paper string
	all   map[string]PublishedNumber

	mu     sync.Mutex
	unread map[string]bool
}

// PublishedNumber is one number of a paper.
type PublishedNumber struct {
	Value float64
	Unit  string
	Where string // section, figure, or table with line and column; the page where it is known
}

// NewPublished reads a CSV table with the columns key, value, unit and where. It panics where
// the table is wrong: it is part of the program.
func NewPublished(paper, table string) *Published {
	p := &Published{paper: paper, all: map[string]PublishedNumber{}, unread: map[string]bool{}}
	lines, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil || len(lines) == 0 || strings.Join(lines[0], ",") != "key,value,unit,where" {
		panic(fmt.Sprintf("published numbers of %s: %v", paper, err))
	}
	for _, l := range lines[1:] {
		value, err := strconv.ParseFloat(l[1], 64)
		if err != nil || math.IsInf(value, 0) || math.IsNaN(value) || p.unread[l[0]] ||
			slices.Contains(l, "") {
			panic(fmt.Sprintf("published numbers of %s: %q", paper, l))
		}
		p.all[l[0]], p.unread[l[0]] = PublishedNumber{value, l[2], l[3]}, true
	}
	return p
}

// Number returns the number of that key. It panics if there is none: keys are written in
// the program.
func (p *Published) Number(key string) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, ok := p.all[key]
	if !ok {
		panic(fmt.Sprintf("%s gives no %q", p.paper, key))
	}
	delete(p.unread, key)
	return n.Value
}

// All returns the numbers by their keys.
func (p *Published) All() map[string]PublishedNumber { return maps.Clone(p.all) }

// Unread lists the keys that Number was not asked for.
func (p *Published) Unread() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.unread))
}
