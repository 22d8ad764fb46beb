package reproduce

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/atomtune/atomtune/plot"
)

func TestX(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("N"))
	os.MkdirAll("/tmp/plots2", 0o755)
	for _, e := range Gomezluna13() {
		if w := os.Getenv("ONLY"); w != "" && !strings.Contains(w, e.Name+",") {
			continue
		}
		st := time.Now()
		out, err := e.Run(context.Background(), Options{Patterns: n, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range out.Rows {
			fmt.Printf("%s %s | paper %s | ours %s %s | %s\n", r.Status, r.Item, r.PaperValue, r.Ours, r.Unit, r.Reason)
			if f := r.Failure(); f != "" {
				fmt.Println("   FAILURE", f)
			}
		}
		fmt.Println(e.Name, time.Since(st))
		if len(out.Page.Panels) > 0 {
			if err := plot.Write("/tmp/plots2/"+e.Name, out.Page); err != nil {
				t.Error(err)
			}
		}
	}
}
