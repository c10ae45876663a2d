package control

import (
	"io"
	"sync"
)

// callerInput is the caller's standard input; it is asked for at the first read.
type callerInput struct {
	frames *frames
	ask    sync.Once
	pipe   *io.PipeReader
	fed    *io.PipeWriter
}

func newInput(f *frames) *callerInput {
	r, w := io.Pipe()
	return &callerInput{frames: f, pipe: r, fed: w}
}

// Read implements io.Reader.
func (c *callerInput) Read(p []byte) (int, error) {
	var err error
	c.ask.Do(func() { err = c.frames.send(wantInput, nil) })
	if err != nil {
		return 0, err
	}
	return c.pipe.Read(p)
}

// fill passes on what the caller sends, until its connection ends.
func (c *callerInput) fill(from io.Reader) {
	for {
		k, content, err := receive(from)
		switch {
		case err != nil || k != input:
			_ = c.fed.CloseWithError(io.ErrUnexpectedEOF)
			return
		case len(content) == 0:
			_ = c.fed.Close()
		default:
			if _, err := c.fed.Write(content); err != nil {
				return
			}
		}
	}
}
