// Command main writes tables with Apache Arrow for Go v18.8.0: go mod init tables, go get
// github.com/apache/arrow-go/v18@v18.8.0, go run . FOLDER.
package main

import (
	"log"
	"os"
	"path/filepath"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

func main() {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "view", Type: arrow.BinaryTypes.StringView, Nullable: true},
		{Name: "both", Type: arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int8},
			arrow.Field{Name: "y", Type: arrow.ListOf(arrow.PrimitiveTypes.Int16)})},
		{Name: "key", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
		{Name: "half", Type: arrow.FixedWidthTypes.Float16},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i := range 100 {
		b.Field(0).(*array.StringViewBuilder).Append("a text that is longer than a view holds")
		both := b.Field(1).(*array.StructBuilder)
		both.Append(true)
		both.FieldBuilder(0).(*array.Int8Builder).Append(int8(i))
		both.FieldBuilder(1).(*array.ListBuilder).AppendEmptyValue()
		if i == 70 {
			b.Field(2).AppendNull()
		} else {
			b.Field(2).(*array.Int32Builder).Append(int32(i * i % 23))
		}
		b.Field(3).AppendEmptyValue()
	}
	rec := b.NewRecordBatch()
	for name, opt := range map[string]ipc.Option{
		"go-zstd.arrow": ipc.WithZstd(), "go-lz4.arrow": ipc.WithLZ4(),
	} {
		f, err := os.Create(filepath.Join(os.Args[1], name))
		if err != nil {
			log.Fatal(err)
		}
		w, err := ipc.NewFileWriter(f, ipc.WithSchema(schema), opt)
		if err != nil {
			log.Fatal(err)
		}
		for _, part := range []arrow.RecordBatch{rec.NewSlice(0, 60), rec.NewSlice(60, 100)} {
			if err := w.Write(part); err != nil {
				log.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			log.Fatal(err)
		}
		if err := f.Close(); err != nil {
			log.Fatal(err)
		}
	}
}
