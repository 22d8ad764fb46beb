// Package plot draws the figures of reports as SVG and PNG: lines over a linear or a
// logarithmic axis, grouped and stacked bars, and grids of either.
//
// A Page holds one or more panels, each a Figure or a Bars. One legend serves
// the whole page: a name has the same colour and marker in every panel. Axis
// labels that all panels share are written once. One build of a program gives the same
// bytes for the same page.
//
// Colours are the eight of Okabe and Ito (Color Universal Design, 2008), which
// people of every colour vision tell apart; markers, dashes and hatching tell
// the series apart in grey.
package plot
