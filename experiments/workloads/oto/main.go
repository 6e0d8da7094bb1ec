// Oto is the quiet workload: three overlapping notes over ALSA with
// github.com/ebitengine/oto/v3. It takes five seconds, nearly all of them
// spent waiting for sound to be played.
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/ebitengine/oto/v3"
)

const (
	sampleRate     = 48000
	channels       = 2
	bytesPerSample = 2
	frameBytes     = channels * bytesPerSample
	volume         = 0.3
	poll           = 10 * time.Millisecond
)

// sine is an io.Reader of 16-bit stereo samples of one tone.
type sine struct {
	hertz  float64
	frame  int64 // next frame to hand out
	frames int64 // in all
}

func newSine(hertz float64, length time.Duration) *sine {
	return &sine{hertz: hertz, frames: int64(length) * sampleRate / int64(time.Second)}
}

func main() {
	length := flag.Duration("note", 3*time.Second, "how long each note sounds")
	gap := flag.Duration("gap", time.Second, "how long after the one before it a note begins")
	flag.Parse()

	context, ready, err := oto.NewContext(&oto.NewContextOptions{
		SampleRate:   sampleRate,
		ChannelCount: channels,
		Format:       oto.FormatSignedInt16LE,
	})
	must("open the sound device", err)
	<-ready
	must("open the sound device", context.Err())

	finished := make(chan error)
	notes := []float64{261.63, 329.63, 392.00} // C, E, G
	for i, hertz := range notes {
		go playAfter(context, time.Duration(i)**gap, newSine(hertz, *length), finished)
	}
	for range notes {
		must("play", <-finished)
	}
	must("play", context.Err())
	fmt.Printf("played %d notes of %v\n", len(notes), *length)
}

func must(what string, err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "oto: cannot %s: %v\n", what, err)
		os.Exit(1)
	}
}

// playAfter plays the tone after a wait and says on finished that it was heard.
func playAfter(context *oto.Context, wait time.Duration, tone *sine, finished chan<- error) {
	time.Sleep(wait)
	player := context.NewPlayer(tone)
	player.Play()
	for player.IsPlaying() && context.Err() == nil {
		time.Sleep(poll)
	}
	finished <- player.Close()
}

// Read fills p with whole frames. It calls nothing of ours: a call a sample
// would make this another workload.
func (s *sine) Read(p []byte) (int, error) {
	n := 0
	for ; n+frameBytes <= len(p) && s.frame < s.frames; n += frameBytes {
		value := math.Sin(2 * math.Pi * s.hertz * float64(s.frame) / sampleRate)
		sample := int16(value * volume * math.MaxInt16)
		for c := 0; c < channels; c++ {
			p[n+c*bytesPerSample] = byte(sample)
			p[n+c*bytesPerSample+1] = byte(sample >> 8)
		}
		s.frame++
	}
	if s.frame == s.frames {
		return n, io.EOF
	}
	return n, nil
}
