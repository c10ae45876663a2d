package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

// yardstick is one command that is run each round.
type yardstick struct {
	name string
	argv []string
	env  []string
	// before prepares a run; not measured.
	before func() error
	// against names the yardsticks that its ratios are printed to.
	against []string
	samples []sample
}

type sample struct {
	cpu, wall time.Duration
	rssMiB    float64
}

func measureAll(runs []*yardstick, rounds int) error {
	for round := -1; round < rounds; round++ {
		for _, y := range runs {
			s, err := y.run()
			if err != nil {
				return fmt.Errorf("%s: %w", y.name, err)
			}
			if round >= 0 {
				y.samples = append(y.samples, s)
			}
		}
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, rounds)
	}
	return nil
}

func (y *yardstick) run() (sample, error) {
	if y.before != nil {
		if err := y.before(); err != nil {
			return sample{}, err
		}
	}
	cmd := exec.Command(y.argv[0], y.argv[1:]...)
	cmd.Env = y.env
	var fault strings.Builder
	cmd.Stderr = &fault
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return sample{}, fmt.Errorf("%w: %.400s", err, fault.String())
	}
	s := sample{wall: time.Since(began), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		s.rssMiB = float64(used.Maxrss) / 1024
	}
	return s, nil
}

// median of a figure over the samples.
func (y *yardstick) median(figure func(sample) float64) float64 {
	list := make([]float64, 0, len(y.samples))
	for _, s := range y.samples {
		list = append(list, figure(s))
	}
	return middle(list)
}

func middle(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)/2]
}

func cpuSeconds(s sample) float64 { return s.cpu.Seconds() }

// ratio is the median of the pairwise ratios of CPU time.
func (y *yardstick) ratio(to *yardstick) float64 {
	var list []float64
	for i := range y.samples {
		list = append(list, cpuSeconds(y.samples[i])/cpuSeconds(to.samples[i]))
	}
	return middle(list)
}

func printReport(out io.Writer, runs []*yardstick) {
	w := tabwriter.NewWriter(out, 2, 4, 2, ' ', 0)
	fmt.Fprintln(w, "run\tCPU s\twall s\tpeak MiB\tratios of CPU, pairwise medians")
	for _, y := range runs {
		var ratios []string
		for _, name := range y.against {
			for _, to := range runs {
				if to.name == name {
					ratios = append(ratios, fmt.Sprintf("%.3f of %s", y.ratio(to), name))
				}
			}
		}
		fmt.Fprintf(w, "%s\t%.3f\t%.3f\t%.0f\t%s\n", y.name, y.median(cpuSeconds),
			y.median(func(s sample) float64 { return s.wall.Seconds() }),
			y.median(func(s sample) float64 { return s.rssMiB }), strings.Join(ratios, ", "))
	}
	w.Flush()
}
