// Command word-count is an extension in Go: `go build -o word-count .` beside its
// manifest makes the package. It imports the SDK alone.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	ext "meterbridge/sdk/go"
)

type text struct {
	Text string `json:"text"`
}

type counts struct {
	Words      int `json:"words"`
	Lines      int `json:"lines"`
	Characters int `json:"characters"`
}

func count(_ context.Context, in text, _ *ext.Call) (any, error) {
	if strings.TrimSpace(in.Text) == "" {
		return nil, ext.Errorf("There is no word in that text.")
	}
	return counts{len(strings.Fields(in.Text)), strings.Count(in.Text, "\n") + 1, utf8.RuneCountInString(in.Text)}, nil
}

func main() {
	x := ext.New(os.Stdin, os.Stdout)
	if _, err := ext.Handle(x, "count_words", count); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := x.Run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
