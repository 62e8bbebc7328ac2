package operation_test

import (
	"flag"
	"os"
	"testing"
)

// The documents of the properties have up to megabytes, so each property checks fewer of them than is usual for rapid.
// -rapid.checks overrides it.
const fewChecks = "20"

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", fewChecks); err != nil {
		panic(err) // unknown flag
	}
	flag.Parse() // the command line overrides it
	os.Exit(m.Run())
}
