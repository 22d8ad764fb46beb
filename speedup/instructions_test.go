package speedup

import (
	"regexp"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/bindings/cuda/ptx"
	"github.com/atomtune/atomtune/impl"
)

// blocksOf returns the instructions of a kernel by straight stretches of code, in
// their order in the text.
func blocksOf(t *testing.T, module, kernel string) [][]string {
	t.Helper()
	image, err := ptx.Image(module)
	if err != nil {
		t.Fatal(err)
	}
	_, body, found := strings.Cut(string(image), ".entry "+kernel+"(")
	if !found {
		t.Fatalf("%s has no kernel %s", module, kernel)
	}
	body, _, _ = strings.Cut(body, "\n}")
	var blocks [][]string
	var now []string
	for _, line := range strings.Split(body, "\n") {
		line = strings.TrimSpace(line)
		label := strings.HasPrefix(line, "$")
		if !label && line != "" && !strings.HasPrefix(line, "bra.uni") {
			now = append(now, line)
		}
		if (label || strings.Contains(line, "bra")) && len(now) > 0 {
			blocks, now = append(blocks, now), nil
		}
	}
	return blocks
}

// Of what ptxas makes no instruction of its own: constants, declarations, the
// loop's own loads with their addresses of 64 bits; a negation or a test of a bit
// beside the other logic.
var free = regexp.MustCompile(`^(//|\.|mov\.|cvt\.|ld\.|cvta\.|\w+(\.\w+)?\.[su]64|shl\.b64|not\.b32|and\.pred|mad\.wide|mul\.wide|atom\.)`)

// counted sorts the instructions of a block into those of a recipe.
func counted(block []string) (c count) {
	for i, line := range block {
		bit := strings.HasPrefix(line, "and.b32") && strings.HasSuffix(line, ", 1;") &&
			i+1 < len(block) && strings.HasPrefix(block[i+1], "setp.")
		draws := strings.HasPrefix(line, "shr.u64") // the number of the group
		switch {
		case draws:
			c.alu++
		case bit || free.MatchString(line):
		case strings.HasPrefix(line, "shfl."):
			c.shuffles++
		case strings.HasPrefix(line, "vote."):
			c.ballots++
		case strings.HasPrefix(line, "match."):
		default:
			c.alu++
		}
	}
	return c
}

func (c count) plus(o count) count {
	return count{c.alu + o.alu, c.shuffles + o.shuffles, c.ballots + o.ballots}
}

// TestRecipesAreCounted counts the instructions of the header's kernels anew.
func TestRecipesAreCounted(t *testing.T) {
	checked := 0
	for _, c := range []struct {
		r      impl.Reduction
		module string
		setup  string // what the block of the set-up, or of a key, holds
	}{
		{impl.SR, "calls_u32", "shfl.sync.up"}, {impl.VR, "calls_u32", "popc"},
		{impl.Peers, "calls_u32", "vote.sync.ballot"}, {impl.Match, "calls_match_u32", "match.any"},
	} {
		blocks := blocksOf(t, c.module, "update_"+c.r.String()+"_u32_loaded")
		find := func(from int, word string) int {
			for i := from; i < len(blocks); i++ {
				if strings.Contains(strings.Join(blocks[i], "\n"), word) {
					return i
				}
			}
			t.Fatalf("%s: no block has %s", c.r, word)
			return 0
		}
		compare := func(part string, want count, parts ...int) {
			var got count
			for _, i := range parts {
				got = got.plus(counted(blocks[i]))
			}
			if got != want {
				t.Errorf("%s, %s: %+v counted, the recipe has %+v", c.r, part, got, want)
			}
			checked++
		}
		want, first := recipes[c.r], find(0, c.setup)
		if c.r == impl.SR {
			step := find(first, "shfl.sync.down")
			compare("setup", want.setup, first)
			compare("enter", want.enter, first+1, step+1)
			compare("step", want.step, step)
			continue
		}
		enter := first // of match: one block with the instruction
		switch c.r {
		case impl.VR:
			compare("setup", want.setup, first)
			enter = find(first+1, "popc")
		case impl.Peers:
			compare("key", want.perKey, first)
			enter = first + 1
		}
		// The loop's head stands behind its body, and is passed once more at the end.
		head := find(enter, "vote.sync.any")
		compare("step", want.step, head-1, head)
		compare("enter", want.enter, enter, head, head+1)
	}
	if checked != 11 {
		t.Errorf("%d parts counted", checked)
	}
}
