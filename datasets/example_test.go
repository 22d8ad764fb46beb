package datasets_test

import (
	"fmt"
	"io"
	"strings"

	"github.com/atomtune/atomtune/datasets"
)

// A stream is read in chunks of the caller's size.
func ExampleOpen() {
	file := "# bins of a small histogram\n3\n1\n4\n1\n5\n"
	r, err := datasets.Open("-", datasets.Options{Stdin: strings.NewReader(file)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	buf := make([]uint32, 2)
	for {
		n, err := r.Next(buf)
		if err == io.EOF {
			return
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.Format(), buf[:n])
	}
	// Output:
	// text [3 1]
	// text [4 1]
	// text [5]
}

// The columns of a sparse matrix, in the order of its rows.
func ExampleReadAll() {
	matrix := `%%MatrixMarket matrix coordinate pattern symmetric
3 3 3
3 1
2 2
2 1
`
	indices, bins, err := datasets.ReadAll("-",
		datasets.Options{Axis: datasets.AxisCol, Order: datasets.OrderRow,
			Stdin: strings.NewReader(matrix)})
	fmt.Println(indices, bins, err)
	// Output: [2 1 1 0 0] 3 <nil>
}

// Keys of any kind become dense indices.
func ExampleOptions_keys() {
	sales := "city,amount\nParis,3\nLyon,4\nParis,1\n"
	indices, bins, err := datasets.ReadAll("-", datasets.Options{
		Format: "csv", Column: "city", Keys: true, Stdin: strings.NewReader(sales),
	})
	fmt.Println(indices, bins, err)
	// Output: [0 1 0] 2 <nil>
}
