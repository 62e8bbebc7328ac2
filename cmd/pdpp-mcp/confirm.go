package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"
)

// confirm asks a person and tells whether the answer is yes; Ctrl-C is a no. Without a terminal there is
// nobody to ask, which is an error.
func confirm(ctx context.Context, terminal terminal, question string) (bool, error) {
	input, ok := terminal.in.(*os.File)
	if !ok || !term.IsTerminal(int(input.Fd())) {
		return false, &usageError{"nothing was written, because there is no terminal to ask on; pass --yes to write it, or --print"}
	}
	if _, err := fmt.Fprint(terminal.err, question+" [y/N] "); err != nil {
		return false, fmt.Errorf("ask: %w", err)
	}
	answered := make(chan string, 1)
	go func() { // a read cannot be interrupted; after Ctrl-C the process ends without it
		line, err := bufio.NewReader(input).ReadString('\n')
		if err != nil {
			line = ""
		}
		answered <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case answer := <-answered:
		return answer == "y" || answer == "yes", nil
	case <-ctx.Done():
		return false, nil
	}
}
