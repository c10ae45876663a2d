package geminicli

import (
	"testing"

	"meterbridge/harnesses/parsertest"
)

func FuzzLines(f *testing.F) { parsertest.Lines(f, Harness()) }

func FuzzDocuments(f *testing.F) { parsertest.Documents(f, Harness()) }
