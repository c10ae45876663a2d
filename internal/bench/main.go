// Command bench measures, in one run on one generated corpus, what a cold and a
// warm scan cost against yardsticks: wc -l, DuckDB's own typed read_json, and
// ccusage where npm can install it. It prints CPU seconds (user + system of the
// whole process), peak memory and pairwise ratios; nothing depends on it.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"meterbridge/internal/corpus"
)

type settings struct {
	binary, size, dir, peers string
	rounds                   int
	seed                     uint64
}

func main() {
	var s settings
	baseline := flag.String("read-json", "", "run the read_json yardstick over this HOME and leave (used by bench itself)")
	flag.StringVar(&s.binary, "binary", "./meterbridge", "the program to measure")
	flag.StringVar(&s.size, "size", "1GB", "size of the corpus")
	flag.StringVar(&s.dir, "dir", "", "scratch folder, kept (default: a temporary one)")
	flag.StringVar(&s.peers, "peers", "auto", "ccusage: auto, off, or the path of its native program")
	flag.IntVar(&s.rounds, "rounds", 5, "counted rounds after one warm-up")
	flag.Uint64Var(&s.seed, "seed", 1, "seed of the corpus")
	flag.Parse()
	if *baseline != "" {
		exit(readJSON(*baseline))
	}
	exit(bench(s))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func bench(s settings) error {
	if s.dir == "" {
		dir, err := os.MkdirTemp("", "meterbridge-bench-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		s.dir = dir
	}
	home, err := s.corpus()
	if err != nil {
		return err
	}
	binary, err := filepath.Abs(s.binary)
	if err != nil {
		return err
	}
	runs, err := s.yardsticks(home, binary)
	if err != nil {
		return err
	}
	if err := measureAll(runs, s.rounds); err != nil {
		return err
	}
	printReport(os.Stdout, runs)
	return nil
}

// corpus generates the logs once per folder, size and seed.
func (s settings) corpus() (string, error) {
	size, err := corpus.ParseSize(s.size)
	if err != nil {
		return "", err
	}
	home := filepath.Join(s.dir, fmt.Sprintf("home-%s-%d", s.size, s.seed))
	if _, err := os.Stat(filepath.Join(home, "truth.json")); err == nil {
		return home, nil
	}
	fmt.Fprintf(os.Stderr, "writing a corpus of %s\n", s.size)
	_, err = corpus.Generate(corpus.Options{Out: home, Size: size, Seed: s.seed})
	return home, err
}
