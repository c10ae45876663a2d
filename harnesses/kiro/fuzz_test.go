package kiro

import (
	"testing"

	"meterbridge/harnesses/parsertest"
)

func FuzzConversation(f *testing.F) { parsertest.Lines(f, Harness()) }

func FuzzSession(f *testing.F) { parsertest.Documents(f, Harness()) }
