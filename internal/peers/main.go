// Command peers runs other programs that count tokens over the same logs as
// Meterbridge: the cases of testdata/cases, whose right numbers are worked out by
// hand, and a generated corpus, whose truth is known. It prints the tables of
// docs/comparison.md; nothing depends on it. It uses the network only to install
// the others with npm.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

type settings struct {
	binary, cases, corpus, dir, only string
	ccusage, tokscale                string
}

func main() {
	var s settings
	flag.StringVar(&s.binary, "binary", "./meterbridge", "our program")
	flag.StringVar(&s.cases, "cases", "testdata/cases", "folder of the cases")
	flag.StringVar(&s.only, "only", "", "run this case alone")
	flag.StringVar(&s.corpus, "corpus", "20MB", "size of the generated corpus; off for none")
	flag.StringVar(&s.dir, "dir", "", "scratch folder, kept (default: a temporary one)")
	flag.StringVar(&s.ccusage, "ccusage", "auto", "ccusage: auto, off, or the path of its native program")
	flag.StringVar(&s.tokscale, "tokscale", "auto", "tokscale: auto, off, or the folder that holds its node_modules")
	flag.Parse()
	if err := s.run(); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func (s settings) run() error {
	if s.dir == "" {
		dir, err := os.MkdirTemp("", "meterbridge-peers-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		s.dir = dir
	}
	var err error
	if s.dir, err = filepath.Abs(s.dir); err != nil {
		return err
	}
	binary, err := filepath.Abs(s.binary)
	if err != nil {
		return err
	}
	tools := []tool{ours{binary}}
	for _, add := range []func() (tool, error){s.installCcusage, s.installTokscale} {
		t, err := add()
		if err != nil {
			fmt.Fprintln(os.Stderr, "not compared:", err)
			continue
		}
		tools = append(tools, t)
	}
	if err := s.compareCases(os.Stdout, tools); err != nil {
		return err
	}
	if s.corpus == "off" || s.only != "" {
		return nil
	}
	return s.compareCorpus(os.Stdout, tools)
}
