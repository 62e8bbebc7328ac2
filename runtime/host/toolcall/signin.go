package toolcall

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const (
	// maxSigningIn limits the calls of a session that wait for a sign-in, so that they leave room for others. More get their error at once.
	maxSigningIn = 16

	// signInRequest is the key of the sign-in among the input requests of a result (MCP 2026-07-28).
	signInRequest = "sign_in"

	accepted = "accept" // the action of a user who agrees to open a page
)

// answer runs a call and returns its response. If the grant of the call has ended and the client can show pages, it offers a sign-in, waits
// for it and runs the call again (R-TRUST-3). Without an approval, the response is the error of the first run.
func (s *Session) answer(ctx context.Context, call Call) []byte {
	result, err := s.runner.run(ctx, call)
	ended, isEnded := errors.AsType[*tool.SignInError](err)
	if !isEnded || !s.showsPages(call) {
		return call.response(result, s.server)
	}
	select {
	case s.signingIn <- struct{}{}:
		defer func() { <-s.signingIn }()
	default:
		return call.response(result, s.server)
	}
	signIn := ended.SignIn()
	if signIn == nil {
		return call.response(result, s.server)
	}
	page, err := pageOf(ctx, signIn)
	switch action := call.actionFor(signIn); {
	case err != nil:
	case call.hasResultType && action == "" && signIn.Offer():
		return call.inputRequired(signIn.ID(), page, s.server)
	case call.hasResultType && action != "" && action != accepted:
		signIn.Decline()
	case !call.hasResultType && signIn.Offer():
		go s.elicit(signIn, page)
	}
	if signIn.Wait(ctx) == nil {
		result = s.runner.Run(ctx, call)
	}
	return call.response(result, s.server)
}

// showsPages reports whether the client of a call supports elicitation in URL mode.
func (s *Session) showsPages(call Call) bool {
	meta, _ := rawjson.ParseObject(call.meta)
	if claimed := meta.Get(mcp.MetaKeyClientCapabilities); claimed != nil {
		capabilities, _ := rawjson.ParseObject(claimed)
		elicitation, _ := rawjson.ParseObject(capabilities.Get("elicitation"))
		return rawjson.Kind(elicitation.Get("url")) == rawjson.ObjectValue
	}
	initialized := s.sdk.InitializeParams()
	return initialized != nil && initialized.Capabilities != nil && initialized.Capabilities.Elicitation != nil &&
		initialized.Capabilities.Elicitation.URL != nil
}

func pageOf(ctx context.Context, signIn tool.SignIn) (*mcp.ElicitParams, error) {
	url, message, err := signIn.Page(ctx)
	return &mcp.ElicitParams{Mode: "url", Message: message, URL: url, ElicitationID: signIn.ID()}, err
}

// elicit asks the client to show the page of a sign-in (MCP 2025-11-25), and reports its end. The sign-in outlives the call that needed
// it first.
func (s *Session) elicit(signIn tool.SignIn, page *mcp.ElicitParams) {
	ctx, cancel := context.WithCancel(s.lifetime)
	defer cancel()
	go func() { // an answer of the user is not needed if the sign-in has ended
		_ = signIn.Wait(ctx)
		cancel()
	}()
	answer, err := s.sdk.Elicit(ctx, page)
	if ctx.Err() == nil && (err != nil || answer.Action != accepted) {
		signIn.Decline()
	}
	if signIn.Wait(s.lifetime) == nil {
		_ = s.sdk.NotifyElicitationComplete(s.lifetime, &mcp.ElicitationCompleteParams{ElicitationID: page.ElicitationID})
	}
}

// actionFor returns the user's decision about a sign-in in the call, or nothing (MCP 2026-07-28).
func (c Call) actionFor(signIn tool.SignIn) string {
	if c.state != signIn.ID() {
		return ""
	}
	answers, _ := rawjson.ParseObject(c.answers)
	answer, _ := rawjson.ParseObject(answers.Get(signInRequest))
	return answer.Text("action")
}

// inputRequired returns the response that asks the client to show a page and to repeat the call (MCP 2026-07-28).
func (c Call) inputRequired(state string, page *mcp.ElicitParams, server mcp.Implementation) []byte {
	requests, err := json.Marshal(mcp.InputRequestMap{signInRequest: page})
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
