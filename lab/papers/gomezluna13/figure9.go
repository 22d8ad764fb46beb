package gomezluna13

import (
	"context"
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

// The generated images, in place of more than 4,000 photographs of 12 bits.
const (
	imageCount  = 4
	imageWidth  = 512
	imageHeight = 384
)

// histogram is a histogram by the launch of section 4.2.1.
func histogram(l layout) voting {
	if l.copies == 1 {
		l = layout{words: l.words, copies: 1}
	}
	return voting{l, 0, voteBlocks, voteThreads}
}

// The paper's photographs are of this size. Launches are compared on as many images of it: on
// smaller ones, what many blocks add up at their end decides.
const (
	photoWidth  = 1536
	photoHeight = 1024
)

// launches are the launches of section 4.2.1: 16 to 128 blocks of 128 to 1,024
// threads.
func launches() []voting {
	var all []voting
	for blocks := 16; blocks <= 128; blocks *= 2 {
		for threads := 128; threads <= voteThreads; threads *= 2 {
			all = append(all, voting{layout{words: 256, copies: 4}, 0, blocks, threads})
		}
	}
	return all
}

// figure9 is the execution time of histograms of natural images, [gomezluna13]
// section 4.2.1.
func figure9(ctx context.Context, o papers.Options) (papers.Outcome, error) {
	d, err := gtx580()
	if err != nil {
		return papers.Outcome{}, err
	}
	generated := len(o.Images) == 0
	for i := uint64(0); generated && i < imageCount; i++ {
		o.Images = append(o.Images, NaturalImage(o.Seed+i, imageWidth, imageHeight))
	}
	all := histograms(d)
	runs, launched := len(distinct(all))*len(o.Images), len(launches())*imageCount
	total := runs + launched + len(o.Images)
	us, err := timesOf(ctx, o.Phase(0, total), all, len(o.Images), func(words, image int) []uint32 {
		return o.Images[image].Bins(words)
	})
	if err != nil {
		return papers.Outcome{}, err
	}
	var photos [imageCount]papers.Image
	for i := range photos {
		photos[i] = NaturalImage(o.Seed+uint64(i), photoWidth, photoHeight)
	}
	launchUS, err := timesOf(ctx, o.Phase(runs, total), launches(), imageCount,
		func(words, image int) []uint32 { return photos[image].Bins(words) })
	if err != nil {
		return papers.Outcome{}, err
	}
	alone, err := aloneOnImages(ctx, o.Phase(runs+launched, total), d)
	if err != nil {
		return papers.Outcome{}, err
	}
	var f findings
	f.Table(us.histogramTable(all))
	f.Page = us.histogramPage(d, o.Images, generated)
	f.imageRows(o.Images, generated)
	f.memoryRows(d, us)
	f.histogramPaddingRows(d, us)
	f.histogramMappingRows(d, us, alone)
	f.launchRows(d, launchUS)
	return f.Outcome, nil
}

// histograms lists the runs of all histograms.
func histograms(d *device.Profile) []voting {
	var all []voting
	for _, words := range voteSpaces {
		for _, l := range layoutsOf(words) {
			if v := histogram(l); v.runs(d) {
				all = append(all, v)
			}
		}
	}
	return all
}

// histogramSeries is the time over the replication factors that the device
// runs.
func (us times) histogramSeries(d *device.Profile, words int, mapping impl.Mapping,
	pad int) (copies []int, time []float64) {
	for _, r := range factors(mostCopies(words)) {
		if v := histogram(layout{words, r, pad, mapping}); v.runs(d) {
			copies, time = append(copies, r), append(time, us[v])
		}
	}
	return copies, time
}

func (us times) histogramTable(all []voting) papers.Table {
	t := papers.NewTable("figure9", "Time of a histogram", "bins|R|mapping|pad [words]|time [us]")
	for _, v := range all {
		t.Add(v.words, v.copies, mappingNames[v.mapping], v.pad, us[v])
	}
	return t
}

// histogramLines are the series of the figure's panels.
var histogramLines = []struct {
	name    string
	mapping impl.Mapping
	pad     int
	style   plot.Style
}{
	{"cyclic", impl.Cyclic, 0, plot.Solid},
	{"cyclic, padded", impl.Cyclic, 1, plot.Dashed},
	{"block", impl.Block, 0, plot.Solid},
	{"block, padded", impl.Block, 1, plot.Dashed},
}

func (us times) histogramPage(d *device.Profile, images []papers.Image, generated bool) plot.Page {
	kind := "given"
	if generated {
		kind = "generated"
	}
	page := plot.Page{
		Title: fmt.Sprintf("Histograms of natural images, mean of %d %s images (GeForce GTX 580, "+
			"simulated)", len(images), kind),
		Columns: 4, Width: 1300,
	}
	for _, words := range voteSpaces {
		panel := factorPanel(fmt.Sprintf("%d bins", words), factors(mostCopies(words)), "time [us]")
		for _, l := range histogramLines {
			copies, time := us.histogramSeries(d, words, l.mapping, l.pad)
			panel.Lines = append(panel.Lines, plot.Line{Name: l.name, X: floats(copies), Y: time,
				Style: l.style})
		}
		page.Panels = append(page.Panels, panel)
	}
	return page
}
