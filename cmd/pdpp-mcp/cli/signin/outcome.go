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

// reportConnected prints the approved access, its differences from the request, and the next commands.
func (s *signIn) reportConnected(terminal invocation.Terminal, cache *credential.Cache, entry *credential.Entry) error {
	path, err := cache.Path(entry.ProviderURL)
	if err != nil {
		return err
	}
	var report strings.Builder
	name := cmp.Or(invocation.Printable(entry.Credential.GrantID), "-")
	if entry.Credential.Label != "" {
		name += " (" + entry.Credential.Label + ")"
	}
	fmt.Fprintf(&report, "Connected to %s with grant %s; %s.\n", entry.ProviderURL, name, expiryText(entry.Credential))
	for _, approved := range entry.Credential.Approved() {
		fmt.Fprintf(&report, "  %s\n", approvedText(approved))
	}
	if differences := connect.Differences(s.options.Access, entry.Credential); len(differences) > 0 {
		report.WriteString("Differs from the request:\n")
		for _, difference := range differences {
			fmt.Fprintf(&report, "  %s\n", difference)
		}
	}
	if s.labelHolder != "" && s.labelHolder != entry.Credential.GrantID {
		fmt.Fprintf(&report, "The label %s moved from grant %s.\n", s.options.Label, invocation.OneLine(s.labelHolder))
	}
	// One entry of a host serves every connected provider.
	fmt.Fprintf(&report, "Stored in %s.\nTry:  %s\nNext: %s\n", path,
		commandline.Read("call "+tool.SchemaTool, entry.ProviderURL, cache.NamedRoot()),
		commandline.Read("setup <host>", "", cache.NamedRoot()))
	if _, err := fmt.Fprint(terminal.Out, report.String()); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}

func expiryText(held credential.Credential) string {
	switch {
	case held.RefreshToken.Reveal() != "":
		return "its token is renewed as long as the provider allows"
	case held.ExpiresAt.IsZero():
		return "it does not expire"
	}
	return "it expires at " + held.ExpiresAt.Format(time.RFC3339)
}

func approvedText(approved credential.Approved) string {
	text := approved.Stream
	if key := approved.ConnectorKey(); key != "" {
		text += " of " + key
	}
	var limits []string
	if len(approved.Connections) > 0 {
		limits = append(limits, strings.Join(approved.Connections, ", "))
	}
	switch {
	case len(approved.Fields) > maxFieldsNamed:
		limits = append(limits, fmt.Sprintf("%d fields: %s, …", len(approved.Fields), strings.Join(approved.Fields[:maxFieldsNamed], ", ")))
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

// maxFieldsNamed is the maximum number of fields that are named per stream.
const maxFieldsNamed = 8
