package reproduce

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/atomtune/atomtune/plot"
)

func TestX(t *testing.T) {
	n := map[string]int{}
	for _, e := range Gomezluna13() {
		st := time.Now()
		out, err := e.Run(context.Background(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range out.Rows {
			n[r.Status]++
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
	fmt.Println(n)
}
