package signin

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential/connect"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// reportConnected prints what was approved and stored, in what it is not what was asked for, and the next commands, with the
// flags by which they find the credential.
func (s *signIn) reportConnected(terminal invocation.Terminal, cache *credential.Cache, entry *credential.Entry) error {
	path, err := cache.Path(entry.ProviderURL)
	if err != nil {
		return err
	}
	var said strings.Builder
	name := cmp.Or(invocation.Printable(entry.Credential.GrantID), "-")
	if entry.Credential.Label != "" {
		name += " (" + entry.Credential.Label + ")"
	}
	fmt.Fprintf(&said, "Connected to %s with grant %s; %s.\n", entry.ProviderURL, name, lasting(entry.Credential))
	for _, approved := range entry.Credential.Approved() {
		fmt.Fprintf(&said, "  %s\n", described(approved))
	}
	if differences := connect.Differences(s.options.Asked, entry.Credential); len(differences) > 0 {
		said.WriteString("Not as it was asked for:\n")
		for _, difference := range differences {
			fmt.Fprintf(&said, "  %s: %s\n", difference.Kind, difference.What)
		}
	}
	if s.labelled != "" && s.labelled != entry.Credential.GrantID {
		fmt.Fprintf(&said, "The label %s named grant %s until now.\n", s.options.Label, invocation.OneLine(s.labelled))
	}
	// A host's one entry has every provider that is connected.
	fmt.Fprintf(&said, "Stored in %s.\nTry:  %s\nNext: %s\n", path,
		commandline.Read("call "+tool.SchemaTool, entry.ProviderURL, cache.NamedRoot()),
		commandline.Read("setup <host>", "", cache.NamedRoot()))
	if _, err := fmt.Fprint(terminal.Out, said.String()); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}

// lasting says how long a credential can be used.
func lasting(held credential.Credential) string {
	switch {
	case held.RefreshToken.Reveal() != "":
		return "its token is renewed as long as the provider allows"
	case held.ExpiresAt.IsZero():
		return "it does not expire by itself"
	}
	return "it expires at " + held.ExpiresAt.Format(time.RFC3339)
}

// described is one approved stream on one line.
func described(approved credential.Approved) string {
	text := approved.Stream
	if key := approved.ConnectorKey(); key != "" {
		text += " of " + key
	}
	var limits []string
	if len(approved.Connections) > 0 {
		limits = append(limits, strings.Join(approved.Connections, ", "))
	}
	switch {
	case len(approved.Fields) > mostNamed:
		limits = append(limits, fmt.Sprintf("%d fields: %s, …", len(approved.Fields), strings.Join(approved.Fields[:mostNamed], ", ")))
	case len(approved.Fields) > 0:
		limits = append(limits, "fields "+strings.Join(approved.Fields, ", "))
	}
	if approved.Since != "" {
		limits = append(limits, "from "+approved.Since)
	}
	if approved.Until != "" {
		limits = append(limits, "before "+approved.Until)
	}
	if limits != nil {
		text += ": " + strings.Join(limits, "; ")
	}
	return invocation.OneLine(text)
}

// mostNamed is how many fields of a stream are named.
const mostNamed = 8
