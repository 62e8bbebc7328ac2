package doctor

import (
	"context"
	"errors"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential/connect"
)

// checkResourceMetadata reads where the provider sends clients to be authorized (RFC 9728), as pdpp-mcp
// connect does.
func (e *examination) checkResourceMetadata(ctx context.Context) Finding {
	if e.exposed() {
		return note("", signInOverHTTPS)
	}
	inspection, err := connect.Inspect(ctx, e.provider, e.options.Transport)
	if err != nil {
		step := ""
		if misaddressed, ok := errors.AsType[*credential.Error](err); ok && misaddressed.Provider != "" {
			step = e.options.doctorCommand(misaddressed.Provider)
		}
		return fromError(err, step)
	}
	e.inspection = inspection
	return ok("authorization server %s", inspection.Issuer)
}

// signInOverHTTPS: pdpp-mcp connect has no exception for private networks, so there is nothing to examine.
const signInOverHTTPS = "not read: pdpp-mcp connect signs in over https only"

// flowTitles are for people.
var flowTitles = map[connect.Flow]string{
	connect.AgentConnect: "agent connect", connect.DeviceAuthorization: "device authorization", connect.AuthorizationCode: "authorization code",
}

// checkAuthorizationServer reads how a client gets a credential (RFC 8414).
func (e *examination) checkAuthorizationServer(ctx context.Context) Finding {
	if e.inspection == nil {
		return note("", signInOverHTTPS)
	}
	flows, err := e.inspection.Flows(ctx)
	if err != nil {
		return fromError(err, "")
	}
	var titles []string
	for _, flow := range flows {
		titles = append(titles, flowTitles[flow])
	}
	return ok("%s", strings.Join(titles, ", "))
}
