package connect

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

// Outcomes of a request without a token.
var (
	ErrDenied  = errors.New("the owner denied the request")
	ErrExpired = errors.New("the request expired before the owner decided")
)

// The error codes that a sign-in handles (RFC 6749, section 5.2; RFC 7591, section 3.2.2; RFC 8628, section 3.5).
const (
	codePending         = "authorization_pending"
	codeSlowDown        = "slow_down"
	codeDenied          = "access_denied"
	codeExpired         = "expired_token"
	codeInvalidGrant    = "invalid_grant"
	codeInvalidRequest  = "invalid_request"
	codeInvalidDetails  = "invalid_authorization_details"
	codeSourceDetails   = "source.authorization_details_invalid" // PDPP's (captures 860 and 868c)
	codeInvalidMetadata = "invalid_client_metadata"
)

const maxDescription = 300 // runes of a server's explanation

type refusal struct {
	url         string
	status      int
	code        string // may be empty
	description string // printable
}

func (r *refusal) Error() string { return r.url + " refused: " + r.reason() }

func (r *refusal) reason() string {
	reason := fmt.Sprintf("%d %s", r.status, http.StatusText(r.status))
	if r.code != "" {
		reason = r.code
	}
	if r.description != "" {
		reason += ": " + r.description
	}
	return reason
}

// refused parses the errors of OAuth, {error, error_description}, and of PDPP, {error: {code, message}}, without the
// sent secrets.
func (a *answer) refused(secrets ...string) *refusal {
	r := &refusal{url: a.url, status: a.status}
	r.code, r.description = a.members.Text("error"), a.members.Text("error_description")
	if envelope, ok := rawjson.ParseObject(a.members.Get("error")); ok {
		r.code, r.description = envelope.Text("code"), envelope.Text("message")
	}
	r.code, r.description = printable(r.code, secrets...), printable(r.description, secrets...)
	return r
}

// printable returns a server's text for one line of a terminal, without the secrets.
func printable(text string, secrets ...string) string {
	for _, secret := range secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "[redacted]")
		}
	}
	text = strings.Map(func(r rune) rune {
		if rawjson.IsUnseen(r) {
			return ' '
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > maxDescription {
		text = string(runes[:maxDescription]) + "…"
	}
	return strings.TrimSpace(text)
}

func isInvalidRequest(err error) bool {
	var refused *refusal
	return errors.As(err, &refused) && slices.Contains([]string{codeInvalidRequest, codeInvalidDetails, codeSourceDetails}, refused.code)
}

func (s *signIn) failed(refused *refusal) *credential.Error {
	again := s.connectStep()
	failure := credential.Misconfigured(refused.Error(), again, refused)
	switch {
	case refused.code == codeDenied:
		failure.Class, failure.Message, failure.Cause = credential.Refused, ErrDenied.Error()+" at "+s.server.Issuer, errors.Join(ErrDenied, refused)
		failure.NextStep = "to ask again, " + again
	case refused.code == codeExpired:
		return s.expiredError(refused)
	case refused.status == http.StatusTooManyRequests:
		failure.Class, failure.NextStep = credential.Unreachable, "try again later"
	case refused.code == codeInvalidRequest && s.Access.Source != "": // the form is wrong, not the requested access
		failure.NextStep = "pass --flow with another sign-in, or ask the provider's operator"
	case isInvalidRequest(refused) && s.Access.Source == "":
		failure.NextStep = "name what to ask for, with --source <connector>, such as --source https://registry.pdpp.dev/connectors/gmail"
		if s.server.Authorization != "" && s.Flow != AuthorizationCode {
			failure.NextStep += "; or let the owner choose on a page: run: " + s.connectBy(AuthorizationCode)
		}
	case isInvalidRequest(refused) && s.Access.omitsConnection():
		failure.NextStep = "check --source, --stream, --field, --since and --until; " + nameConnection
	case isInvalidRequest(refused):
		failure.NextStep = "check --source, --connection, --stream, --field, --since and --until"
	}
	return failure
}

const nameConnection = "if the source has several connections, pass --connection <id>, as the provider shows it to its owner"

// connectStep returns the step that asks for the same again.
func (s *signIn) connectStep() string { return "run: " + s.connectBy(s.Flow) }

// connectBy returns the command that asks for the same again by a flow, or by the first that is offered.
func (s *signIn) connectBy(flow Flow) string {
	wanted := commandline.Wanted{Source: s.Access.Source, Label: s.Label, Flow: string(flow)}
	for _, stream := range s.Access.Streams {
		if stream.Name != credential.EveryStream {
			wanted.Streams = append(wanted.Streams, stream.Name)
		}
		wanted.Connections, wanted.Since, wanted.Until = stream.Connections, stream.Range.Since, stream.Range.Until
		for _, field := range stream.Fields {
			if len(s.Access.Streams) > 1 {
				field = stream.Name + "." + field
			}
			wanted.Fields = append(wanted.Fields, field)
		}
	}
	return wanted.Connect(s.requester.provider, s.CacheRoot)
}

func (s *signIn) expiredError(err error) *credential.Error {
	step := "to ask again, " + s.connectStep()
	if s.Access.omitsConnection() {
		step += "; " + nameConnection
	}
	return credential.Misconfigured(ErrExpired.Error()+" at "+s.server.Issuer, step, errors.Join(ErrExpired, err))
}
