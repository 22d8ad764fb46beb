// Package tuner chooses the implementation of an atomic update stream. Where to begin:
//
//   - Choose explains the choice for the statistics of a stream.
//   - ChooseStream measures a stream in memory first.
//   - ChooseSampled measures a sample of it, if that pays; ChooseSampledStream one of indices that
//     come from elsewhere. Indices that were not sampled are not looked at.
//   - New prepares many choices, which Chooser.Pick makes in two to three
//     microseconds without allocating, and which agree with Choose.
//
// Predicted times come from package model: closed forms, corrected by regression trees. Package
// online serves launches that repeat and learns from the caller's own times, package training makes
// models. A choice needs neither a simulator nor a disk.
package tuner
