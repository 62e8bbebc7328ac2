package exam_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is written is what is read, so that costs are compared with those of before.
func TestTableIsReadAsItIsWritten(t *testing.T) {
	given := marks{}
	given.set("a", "open stdio text", mark{right, 3, 1_234_567})
	given.set("a", "open hosted text", mark{wrong, 12, 999})
	given.set("b", "open stdio text", mark{none, 0, 0})
	given.set("b", "open hosted text", mark{right, 1, 1_000})
	table := given.table([]group{{"all", []question{{name: "a"}}}, {"files", []question{{name: "b"}}}}, []string{"open stdio text", "open hosted text"})
	if diff := cmp.Diff(given, readTable(table), cmp.AllowUnexported(mark{})); diff != "" {
		t.Errorf("(-written +read):\n%s\n%s", diff, table)
	}
}

// A right answer may get cheaper and nothing else; what was not right may cost what it must.
func TestWorse(t *testing.T) {
	for name, test := range map[string]struct {
		was, now mark
		worse    bool
	}{
		"the same":           {mark{right, 3, 100}, mark{right, 3, 100}, false},
		"cheaper":            {mark{right, 3, 100}, mark{right, 2, 90}, false},
		"more tokens":        {mark{right, 3, 100}, mark{right, 2, 101}, true},
		"more calls":         {mark{right, 3, 100}, mark{right, 4, 90}, true},
		"wrong now":          {mark{right, 3, 100}, mark{wrong, 1, 10}, true},
		"no answer now":      {mark{right, 3, 100}, mark{none, 1, 10}, true},
		"right at last":      {mark{none, 3, 100}, mark{right, 9, 900}, false},
		"wrong for longer":   {mark{wrong, 3, 100}, mark{wrong, 9, 900}, false},
		"guessing is no way": {mark{none, 3, 100}, mark{wrong, 3, 100}, true},
	} {
		t.Run(name, func(t *testing.T) {
			said := marks{"q": {"s": test.now}}.worse(marks{"q": {"s": test.was}})
			if worse := len(said) > 0; worse != test.worse {
				t.Errorf("worse is %t: %q", worse, said)
			}
		})
	}
}
