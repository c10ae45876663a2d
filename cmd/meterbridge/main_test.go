package main

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"meterbridge/internal/daemon"
	"meterbridge/internal/holder"
)

// asProgram makes the test binary behave as the program itself, so that cases
// run real processes without building another binary.
const asProgram = "METERBRIDGE_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	// A holder of terminals and the fence of an extension have no environment that
	// tells them from the tests.
	if os.Getenv(asProgram) != "" || len(os.Args) == 2 && os.Args[1] == holder.Command || len(os.Args) > 1 && os.Args[1] == daemon.FenceCommand {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}
