package operation_test

import (
	"flag"
	"os"
	"testing"
)

// The documents of the properties are up to megabytes long, so each property looks at fewer of them than
// rapid would, unless -rapid.checks says otherwise.
const fewChecks = "20"

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", fewChecks); err != nil {
		panic(err) // rapid has this flag
	}
	flag.Parse() // what the command line says wins
	os.Exit(m.Run())
}
