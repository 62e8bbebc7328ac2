package toolcall

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const (
	// maxSigningIn limits the requests of a server that wait for a sign-in, so that they leave room for others. Further
	// requests get their error without waiting.
	maxSigningIn = 16

	// signInRequest is the key of the sign-in among the input requests of a result (MCP 2026-07-28).
	signInRequest = "sign_in"

	accepted = "accept" // the action of a user who agrees to open a page
)

// Client is the client of a request that may be asked to show a page.
type Client struct {
	Session    *mcp.ServerSession
	ShowsPages bool // it supports elicitation in URL mode

	// IsAsked reports whether a result asks the client, which then repeats the request (MCP 2026-07-28). Otherwise the
	// session asks.
	IsAsked bool
	State   string // of the result that asked; may be empty
	Action  string // the answer of the user; may be empty
}

// ClientOf returns the client of a request that the SDK has read.
func ClientOf(request *mcp.ReadResourceRequest) Client {
	capabilities := request.ClientCapabilities()
	client := Client{
		Session: request.Session, IsAsked: request.ProtocolVersion() >= NewestRevision, State: request.Params.RequestState,
		ShowsPages: capabilities != nil && capabilities.Elicitation != nil && capabilities.Elicitation.URL != nil,
	}
	if answer, isAnswered := request.Params.InputResponses[signInRequest].(*mcp.ElicitResult); isAnswered {
		client.Action = answer.Action
	}
	return client
}

// RunWithSignIn runs a call. If grants that it reads have ended and the client can show pages, it offers a sign-in for
// the first of them. It waits for the sign-in and runs the call again (R-TRUST-3). Without an approval it returns the
// result of the first run. If other sources answered, it waits only if the user has agreed to sign in. A nil result
// means that the response must ask the client to show the page.
func (r *Runner) RunWithSignIn(ctx context.Context, call Call, clientOf func() Client) (result *tool.Result, page *mcp.ElicitParams) {
	missed := &tool.Missed{}
	result, err := r.run(missed.Within(ctx), call)
	ended := missed.Ended()
	if failed, isEnded := errors.AsType[*tool.SignInError](err); isEnded {
		ended = []*tool.SignInError{failed}
	} else if err != nil {
		return result, nil
	}
	if len(ended) == 0 {
		return result, nil
	}
	client := clientOf()
	if !client.ShowsPages {
		return result, nil
	}
	select {
	case r.signingIn <- struct{}{}:
		defer func() { <-r.signingIn }()
	default:
		return result, nil
	}
	for _, each := range ended {
		signIn := each.SignIn(result.IsError)
		if signIn == nil {
			continue
		}
		page, isApproved := client.signIn(ctx, signIn, result.IsError)
		switch {
		case page != nil:
			return nil, page
		case isApproved:
			result, _ = r.run(ctx, call)
			return result, nil
		}
		break
	}
	return result, nil
}

// signIn offers a sign-in. It returns a page if a result must ask the client to show it. Otherwise it reports whether
// the user has approved. It waits for the approval if the request needs the sign-in or the user has agreed to it.
func (c Client) signIn(ctx context.Context, signIn tool.SignIn, isNeeded bool) (page *mcp.ElicitParams, isApproved bool) {
	hasAgreed := false
	switch {
	case !c.IsAsked:
		go elicit(context.WithoutCancel(ctx), c.Session, signIn)
	case c.State != signIn.ID() || c.Action == "":
		if page, err := pageOf(ctx, signIn); err == nil && signIn.Offer() {
			return page, false
		}
	case c.Action == accepted:
		hasAgreed = true
	default:
		signIn.Decline()
	}
	return nil, (isNeeded || hasAgreed) && signIn.Wait(ctx) == nil
}

// answer appends the response to a call. A response that asks the client to show a page is a new text.
func (s *Session) answer(ctx context.Context, call Call, out []byte) []byte {
	result, page := s.runner.RunWithSignIn(ctx, call, func() Client { return s.clientOf(call) })
	if page != nil {
		return call.inputRequired(page, s.server)
	}
	defer result.Release()
	return call.response(out, result, s.server)
}

func (s *Session) clientOf(call Call) Client {
	client := Client{Session: s.sdk, IsAsked: call.hasResultType, State: call.state}
	answers, _ := rawjson.ParseObject(call.answers)
	answer, _ := rawjson.ParseObject(answers.Get(signInRequest))
	client.Action = answer.Text("action")
	meta, _ := rawjson.ParseObject(call.meta)
	if claimed := meta.Get(mcp.MetaKeyClientCapabilities); claimed != nil {
		capabilities, _ := rawjson.ParseObject(claimed)
		elicitation, _ := rawjson.ParseObject(capabilities.Get("elicitation"))
		client.ShowsPages = rawjson.Kind(elicitation.Get("url")) == rawjson.ObjectValue
	} else if initialized := s.sdk.InitializeParams(); initialized != nil && initialized.Capabilities != nil {
		elicitation := initialized.Capabilities.Elicitation
		client.ShowsPages = elicitation != nil && elicitation.URL != nil
	}
	return client
}

func pageOf(ctx context.Context, signIn tool.SignIn) (*mcp.ElicitParams, error) {
	url, message, err := signIn.Page(ctx)
	return &mcp.ElicitParams{Mode: "url", Message: message, URL: url, ElicitationID: signIn.ID()}, err
}

// elicit asks the client to show the page of a sign-in (MCP 2025-11-25), unless it was already asked. It notifies the
// client when the sign-in succeeds. The sign-in can outlast the call that started it.
func elicit(ctx context.Context, session *mcp.ServerSession, signIn tool.SignIn) {
	page, err := pageOf(ctx, signIn)
	if err != nil || !signIn.Offer() {
		return
	}
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // an answer of the user is not needed if the sign-in has ended
		_ = signIn.Wait(asking)
		cancel()
	}()
	answer, err := session.Elicit(asking, page)
	if asking.Err() == nil && (err != nil || answer.Action != accepted) {
		signIn.Decline()
	}
	if signIn.Wait(ctx) == nil {
		_ = session.NotifyElicitationComplete(ctx, &mcp.ElicitationCompleteParams{ElicitationID: page.ElicitationID})
	}
}

// InputRequests returns the members of a result that asks the client to show a page and to repeat the request (MCP
// 2026-07-28).
func InputRequests(page *mcp.ElicitParams) (requests mcp.InputRequestMap, state string) {
	return mcp.InputRequestMap{signInRequest: page}, page.ElicitationID
}

// inputRequired returns the response with such a result.
func (c Call) inputRequired(page *mcp.ElicitParams, server mcp.Implementation) []byte {
	input, state := InputRequests(page)
	requests, err := json.Marshal(input)
	if err != nil {
		panic(err) // it consists of strings
	}
	result := rawjson.Object{}
	if meta := c.responseMeta(&tool.Result{}, server); len(meta) > 0 {
		result = append(result, rawjson.Raw("_meta", meta.Encode()))
	}
	result = append(result, rawjson.String("resultType", "input_required"), rawjson.Raw("inputRequests", requests), rawjson.String("requestState", state))
	return rawjson.Object{rawjson.String("jsonrpc", "2.0"), rawjson.Raw("id", c.id.written), rawjson.Raw("result", result.Encode())}.Encode()
}
