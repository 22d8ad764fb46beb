// Package tables makes recommendation tables: for a device and a type, which
// implementation of an atomic update stream is fastest, by the number of
// targets, by the collision level within a warp and by how equal indices lie.
//
// Each cell stands for a synthetic stream that is made, analysed exactly and
// given to tuner.Choose; its specification stands beside the answer, so that
// anybody can make it again. Between two rows whose answers differ in kind the
// number of targets is bisected, which gives the break-even points.
//
// A new column is a row of column.go; "script/regenerate tables" writes doc/tables.
//
// References:
//
//	[egielski14]  I. Egielski, J. Huang, E. Z. Zhang. Massive Atomics for
//	              Massive Parallelism on GPUs. ISMM 2014.
package tables

//go:generate go run ../cmd/atomtune tables --out ../doc/tables
