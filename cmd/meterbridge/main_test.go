package main

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"meterbridge/internal/holder"
)

// asProgram makes the test binary behave as the program itself, so that cases
// run real processes without building another binary.
const asProgram = "METERBRIDGE_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	// A holder of terminals has no environment that tells it from the tests.
	if os.Getenv(asProgram) != "" || len(os.Args) == 2 && os.Args[1] == holder.Command {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}
