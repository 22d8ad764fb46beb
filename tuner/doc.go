// Package tuner chooses the implementation of an atomic update stream. Where to begin:
//
//   - New compiles a device and options into a Chooser. Its method Measure reads a stream, and Choose decides
//     for what that finds; the Decision is the JSON document. Pick chooses in two to three microseconds without
//     allocating, and agrees with Choose.
//   - Choose does it at once for the statistics of a stream, ChooseStream for a stream in memory, ChooseSource for
//     one that is read, such as a datasets.Reader.
//   - ChooseSampled measures a sample of a stream, if that pays.
//
// Predicted times come from package model: closed forms, corrected by regression trees. Package
// online serves launches that repeat and learns from the caller's own times, package training makes
// models. A choice needs neither a simulator nor a disk.
package tuner
