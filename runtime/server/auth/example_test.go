package auth_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
)

// A verifier asks the authorization server about a token, and caches the answer for a short time.
func ExampleVerifier_Verify() {
	introspection := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.PostFormValue("token") == "a-scoped-token" {
			fmt.Fprint(w, `{"active":true,"pdpp_token_kind":"client","client_id":"cli_1","grant_id":"grt_1"}`)
			return
		}
		fmt.Fprint(w, `{"active":false}`)
	}))
	defer introspection.Close()
	verifier, err := auth.NewVerifier(auth.Options{
		AuthorizationServer: introspection.URL,
		IntrospectionURL:    introspection.URL + "/introspect",
		ClientID:            "pdpp-mcp",
		ClientSecret:        rs.NewSecret("a-secret"),
		Audiences:           []string{"https://mcp.pdpp.example"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	caller, err := verifier.Verify(context.Background(), "a-scoped-token")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(caller.Kind, caller.ClientID, caller.GrantID)

	_, err = verifier.Verify(context.Background(), "a-token-of-yesterday")
	var refusal *auth.Refusal
	if errors.As(err, &refusal) {
		fmt.Println(refusal.Status, refusal.Code)
	}
	// Output:
	// client cli_1 grt_1
	// 401 authentication_error
}
