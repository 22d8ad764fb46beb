// Writes tables with Apache Arrow for JavaScript, and with Apache Arrow for Rust by way of
// parquet-wasm: npm install apache-arrow@21.2.0 parquet-wasm@0.8.0 && node make.mjs
import * as arrow from "apache-arrow";
import { writeFileSync } from "node:fs";
import * as parquet from "parquet-wasm/node";

const folder = new URL("..", import.meta.url);
const save = (name, bytes) => writeFileSync(new URL(name, folder), bytes);
const column = (values, type) => arrow.vectorFromArray(values, type);

const edges = () => ({
  source: column([0n, 0n, 1n, 2n, 4n], new arrow.Int64()),
  target: column([3, 1, 1, 0, 9], new arrow.Uint32()),
  name: column(["a", "bb", null, "dd", ""], new arrow.Utf8()),
  weight: column([1, 0, 2.5, 3, 4], new arrow.Float64()),
  whole: column([7, 0, 4, 3, 65536], new arrow.Float32()),
  small: column([1, 2, 3, 4, 5], new arrow.Int8()),
  gaps: column([1, 2, null, 4, 5], new arrow.Int32()),
  class: column([700, 9, 700, 700, 9],
    new arrow.Dictionary(new arrow.Int32(), new arrow.Int8())),
  label: column(["x", "y", "x", "x", "y"],
    new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32())),
  pair: column([[1, 2], [3], [], [4], [5, 6]],
    new arrow.List(new arrow.Field("item", new arrow.Int32()))),
  when: column([1, 2, 3, 4, 5].map((t) => new Date(t * 1000)), new arrow.TimestampMillisecond()),
});

const table = new arrow.Table(edges());
save("javascript.arrow", arrow.tableToIPC(table, "file"));
save("javascript.arrows", arrow.tableToIPC(table, "stream"));
const rows = arrow.makeTable({ key: Int32Array.from({ length: 70 }, (_, i) => (i * i) % 23) });
const batches = rows.batches.flatMap((b) => [b.slice(0, 30), b.slice(30, 70)]);
save("batches.arrow", arrow.tableToIPC(new arrow.Table(batches), "file"));

// The dictionary of numbers is left out: the writer keeps Arrow's type of it in the file's schema.
const { class: _, ...plain } = edges();
const stream = arrow.tableToIPC(new arrow.Table(plain), "stream");
const { Compression, Encoding, WriterPropertiesBuilder, WriterVersion } = parquet;
const write = (name, change, from = stream) =>
  save(name, parquet.writeParquet(parquet.Table.fromIPCStream(from),
    change(new WriterPropertiesBuilder()).build()));
write("rust.parquet", (b) => b.setCompression(Compression.UNCOMPRESSED));
write("rust-snappy.parquet", (b) => b.setCompression(Compression.SNAPPY));
write("rust-gzip.parquet", (b) => b.setCompression(Compression.GZIP));
write("rust-zstd.parquet", (b) => b.setCompression(Compression.ZSTD));
write("rust-lz4.parquet", (b) => b.setCompression(Compression.LZ4_RAW));
write("rust-brotli.parquet", (b) => b.setCompression(Compression.BROTLI));
write("rust-v2.parquet", (b) => b.setWriterVersion(WriterVersion.V2).setDictionaryEnabled(false));
const many = arrow.tableToIPC(rows, "stream");
write("rust-groups.parquet", (b) => b.setMaxRowGroupSize(30), many);
write("rust-delta.parquet", (b) => b.setDictionaryEnabled(false)
  .setEncoding(Encoding.DELTA_BINARY_PACKED), many);
write("rust-split.parquet", (b) => b.setDictionaryEnabled(false)
  .setEncoding(Encoding.BYTE_STREAM_SPLIT), many);
