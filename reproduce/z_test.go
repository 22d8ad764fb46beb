package reproduce

import (
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

func stats(name string, px []float64, w int) { // px in [0,1)
	fmt.Printf("%-14s", name)
	// correlation of neighbours
	var sx, sxx, sxy, n float64
	for i := range px {
		if i%w > 0 {
			sx += px[i]
			sxx += px[i] * px[i]
			sxy += px[i] * px[i-1]
			n++
		}
	}
	m := sx / n
	fmt.Printf(" corr %.3f cv %.2f ", (sxy/n-m*m)/(sxx/n-m*m), math.Sqrt(sxx/n-m*m)/m)
	for _, bins := range []int{32, 64, 128, 256, 1024, 4096} {
		same, deg, warps := 0.0, 0.0, 0.0
		for i := range px {
			if i%w > 0 && int(px[i]*float64(bins)) == int(px[i-1]*float64(bins)) {
				same++
			}
		}
		for i := 0; i+32 <= len(px); i += 32 {
			c := map[int]int{}
			mx := 0
			for j := range 32 {
				b := int(px[i+j] * float64(bins))
				c[b]++
				mx = max(mx, c[b])
			}
			deg += float64(mx)
			warps++
		}
		fmt.Printf("| %d: %.2f deg %.1f ", bins, same/n, deg/warps)
	}
	fmt.Println()
}

func octaves(seed uint64, w, h int, sigma float64, lo int) []float64 {
	rng := rand.New(rand.NewPCG(seed, 77))
	z := make([]float64, w*h)
	for s := lo; s <= w; s *= 2 {
		gw, gh := w/s+2, h/s+2
		g := make([]float64, gw*gh)
		for i := range g {
			g[i] = rng.NormFloat64()
		}
		for i := range z {
			x, y := float64(i%w)/float64(s), float64(i/w)/float64(s)
			a, b := int(x), int(y)
			u, v := x-float64(a), y-float64(b)
			u, v = u*u*(3-2*u), v*v*(3-2*v)
			p := g[b*gw+a]*(1-u) + g[b*gw+a+1]*u
			q := g[(b+1)*gw+a]*(1-u) + g[(b+1)*gw+a+1]*u
			z[i] += p*(1-v) + q*v
		}
	}
	return expose(z, sigma, nil)
}

func expose(z []float64, sigma float64, rng *rand.Rand) []float64 {
	var s, q float64
	for _, v := range z {
		s += v
		q += v * v
	}
	m := s / float64(len(z))
	sd := math.Sqrt(q/float64(len(z)) - m*m)
	for i := range z {
		z[i] = math.Exp(sigma * (z[i] - m) / sd)
	}
	o := slices.Clone(z)
	slices.Sort(o)
	top := o[len(o)*995/1000]
	for i := range z {
		z[i] = min(z[i]/top, 4095.0/4096)
		if rng != nil {
			z[i] = min(max(0, z[i]+rng.NormFloat64()*0.002), 4095.0/4096)
		}
	}
	return z
}

func leaves(seed uint64, w, h int, sigma float64, rmin, texture float64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 78))
	z := make([]float64, w*h)
	seen := make([]bool, w*h)
	left := w * h
	rmax := float64(w) / 2
	for left > 0 {
		u := rng.Float64()
		// density 1/r^3 between rmin and rmax
		r := 1 / math.Sqrt(1/rmin/rmin+u*(1/rmax/rmax-1/rmin/rmin))
		cx, cy := rng.Float64()*(float64(w)+2*rmax)-rmax, rng.Float64()*(float64(h)+2*rmax)-rmax
		g := rng.NormFloat64()
		for y := max(0, int(cy-r)); y <= min(h-1, int(cy+r)); y++ {
			for x := max(0, int(cx-r)); x <= min(w-1, int(cx+r)); x++ {
				dx, dy := float64(x)-cx, float64(y)-cy
				if !seen[y*w+x] && dx*dx+dy*dy <= r*r {
					seen[y*w+x] = true
					z[y*w+x] = g
					left--
				}
			}
		}
	}
	t := octaves(seed, w, h, 1, 2)
	for i := range z {
		z[i] += texture * math.Log(t[i]+1e-3)
	}
	return expose(z, sigma, rng)
}

func TestZ(t *testing.T) {
	for _, f := range []string{
		"/root/go/pkg/mod/golang.org/x/exp@v0.0.0-20200331195152-e8c3332aa8e5/shiny/example/goban/asset/goboard.jpg",
		"/root/.rustup/toolchains/stable-x86_64-unknown-linux-gnu/share/doc/rust/html/embedded-book/assets/verify.jpeg",
		"/root/.rustup/toolchains/stable-x86_64-unknown-linux-gnu/share/doc/rust/html/embedded-book/assets/f3.jpg",
		"/root/go/pkg/mod/golang.org/x/image@v0.47.0/testdata/blue-purple-pink-large.png",
		"/root/go/pkg/mod/golang.org/x/image@v0.47.0/testdata/yellow_rose.png",
		"/root/go/pkg/mod/golang.org/x/image@v0.47.0/testdata/video-001.png",
		"/root/go/pkg/mod/golang.org/x/image@v0.47.0/testdata/go-turns-two-280x360.jpeg",
	} {
		r, err := os.Open(f)
		if err != nil {
			t.Fatal(err)
		}
		im, _, err := image.Decode(r)
		if err != nil {
			t.Fatal(f, err)
		}
		b := im.Bounds()
		var px []float64
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				R, G, B, _ := im.At(x, y).RGBA()
				px = append(px, (0.299*float64(R)+0.587*float64(G)+0.114*float64(B))/65536)
			}
		}
		stats(fmt.Sprint(f[len(f)-12:], b.Dx()), px, b.Dx())
	}
	for _, lo := range []int{1, 2, 4} {
		stats(fmt.Sprint("octaves .6 ", lo), octaves(1, 512, 384, 0.6, lo), 512)
	}
	for seed := range uint64(3) {
		stats(fmt.Sprint("leaves tex 0 ", seed), leaves(seed, 512, 384, 0.6, 3, 0), 512)
		stats(fmt.Sprint("leaves tex .2 ", seed), leaves(seed, 512, 384, 0.6, 3, 0.2), 512)
	}
}
