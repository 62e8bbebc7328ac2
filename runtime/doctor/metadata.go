package doctor

import (
	"context"
	"errors"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential/connect"
)

// checkResourceMetadata reads which authorization server the provider names (RFC 9728), as connect does.
func (e *examination) checkResourceMetadata(ctx context.Context) Finding {
	if e.exposed() {
		return note("", signInOverHTTPS)
	}
	inspection, err := connect.Inspect(ctx, e.provider, e.options.Transport)
	if err != nil {
		fix := ""
		if misaddressed, ok := errors.AsType[*credential.Error](err); ok && misaddressed.Provider != "" {
			fix = e.options.doctorCommand(misaddressed.Provider)
		}
		return fromError(err, fix)
	}
	e.inspection = inspection
	return ok("authorization server %s", inspection.Issuer)
}

// signInOverHTTPS: connect has no exception for private networks, so there is nothing to check.
const signInOverHTTPS = "not read: connect signs in over https only"

// flowTitles are for people.
var flowTitles = map[connect.Flow]string{
	connect.AgentConnect: "agent connect", connect.DeviceAuthorization: "device authorization", connect.AuthorizationCode: "authorization code",
}

// checkAuthorizationServer reads how a client can sign in (RFC 8414).
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
