// Package h200 holds what was measured on one NVIDIA H200: single quantities,
// and whole calls of every implementation on 108 index streams with the
// streams' collision statistics. README.md says how each number is made.
package h200
