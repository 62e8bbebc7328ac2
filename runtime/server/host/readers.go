package host

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// environment returns a toolcall.Environment. It makes a reader for each request with only the bearers of its caller
// (R-HOST-5). Readers share connections and nothing else.
func (h *Handler) environment(ctx context.Context) (tool.Env, error) {
	request := toolcall.RequestOf(ctx)
	if request.Caller == nil {
		return tool.Env{}, errors.New("the request has no caller") // cannot happen: requests are authenticated
	}
	read := h.ofClient
	if request.Caller.Kind != rs.KindClient {
		read = h.ofPackage
	}
	reader, err := read(request)
	if err != nil {
		return tool.Env{}, fmt.Errorf("make a reader: %w", err)
	}
	return tool.Env{RS: reader, Granted: request.Caller.Granted, Caller: request.Caller.TokenHash}, nil
}

// client returns a reader with one bearer. Its errors contain none of the secrets.
func (h *Handler) client(request *toolcall.Request, bearer rs.Secret, secrets *rs.Secrets) (*rs.Client, error) {
	return rs.NewClient(rs.Options{
		BaseURL: h.options.ResourceURL, ProviderURL: h.options.ProviderURL, Bearer: bearer, Secrets: secrets,
		Transport: h.options.Transport, Retries: h.retries, Timeout: h.options.RSTimeout,
		Header: http.Header{"Request-Id": {request.ID}},
	})
}

func (h *Handler) ofClient(request *toolcall.Request) (rs.Reader, error) {
	client, err := h.client(request, request.Bearer, nil)
	if err != nil {
		return nil, err
	}
	return h.schemas.reader(client, request.Caller, 0), nil
}

// ofPackage returns a reader with the bearers of the active members (R-PKG-1). No response shows any of them (R-ERR-6).
func (h *Handler) ofPackage(request *toolcall.Request) (rs.Reader, error) {
	bearers := []string{request.Bearer.Reveal()}
	for _, member := range request.Caller.ActiveMembers() {
		bearers = append(bearers, member.Bearer.Reveal())
	}
	secrets := rs.NewSecrets(bearers...)
	sources := make([]fanout.Source, len(request.Caller.Members))
	for i, member := range request.Caller.Members {
		sources[i] = fanout.Source{
			GrantID: member.GrantID, ConnectionID: member.ConnectionID,
			ConnectorKey: member.ConnectorKey, DisplayName: member.DisplayName, Streams: member.Streams,
		}
		if !member.Active {
			continue
		}
		client, err := h.client(request, member.Bearer, secrets)
		if err != nil {
			return nil, err
		}
		sources[i].Reader = h.schemas.reader(client, request.Caller, i)
	}
	return fanout.New(sources, fanout.Options{
		ProviderURL: h.options.ProviderURL, ChildTimeout: h.options.ChildTimeout,
		Observe: func(result fanout.Result, took time.Duration) { h.options.Recorder.Child(string(result), took) },
	}), nil
}

// checkRS returns an error if the resource server does not answer or answers with a 5xx status. It sends no bearer.
func (h *Handler) checkRS(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, h.options.ResourceURL+auth.ResourceMetadataPath, nil)
	if err != nil {
		return fmt.Errorf("ask the resource server: %w", err)
	}
	started := time.Now()
	response, err := h.options.Transport.RoundTrip(request)
	if err != nil {
		h.options.Recorder.Read(0, time.Since(started))
		return fmt.Errorf("ask the resource server: %w", err)
	}
	defer response.Body.Close()
	h.options.Recorder.Read(response.StatusCode, time.Since(started))
	if response.StatusCode >= http.StatusInternalServerError {
		return fmt.Errorf("the resource server answered %d", response.StatusCode)
	}
	return nil
}
