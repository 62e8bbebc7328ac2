package rs_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// R-ERR-6: an echoed bearer is removed in every spelling.
func TestEchoedBearerIsRedacted(t *testing.T) {
	escaped := func(format string, which string) string {
		var spelled strings.Builder
		for _, character := range []byte(bearer) {
			if strings.IndexByte(which, character) >= 0 {
				fmt.Fprintf(&spelled, format, character)
			} else {
				spelled.WriteByte(character)
			}
		}
		return spelled.String()
	}
	spellings := []string{
		bearer, url.QueryEscape(bearer), url.PathEscape(bearer), strings.ReplaceAll(bearer, "/", `\/`),
		escaped(`\u%04x`, "+="), escaped(`\u%04X`, "+/="), escaped(`\u%04x`, bearer), escaped(`\u%04x`, "t"),
		escaped(`\u%04x`, "D"),
		escaped(`%%%02x`, "+/="), escaped(`%%%02X`, bearer), escaped(`\u0025%02X`, "+="), escaped(`\\u%04x`, "+="),
		strings.ReplaceAll(bearer, "/", `\\\/`), escaped(`\u005cu%04x`, "+"),
		strings.ReplaceAll(escaped(`\u%04x`, "+"), "/", "%2F"),
		`\\` + escaped(`\u%04x`, "t"), `%` + url.QueryEscape(bearer), "t" + url.QueryEscape(bearer),
		`\n` + escaped(`\u%04x`, "+"),
	}
	for _, spelling := range spellings {
		for _, status := range []int{200, 401, 500} {
			client, _ := serve(t, func(writer http.ResponseWriter, _ *http.Request) {
				writer.Header().Set("Request-Id", bearer)
				writer.Header().Set("Retry-After", bearer)
				writer.WriteHeader(status)
				_, _ = writer.Write([]byte(`{"error":{"message":"bad ` + spelling + `","code":"` + spelling + `"},"data":["` +
					spelling + `"]}`))
			})
			var query rs.Query
			query.Set("q", bearer)
			response, err := client.Get(t.Context(), rs.Request{Path: "/v1/search", Query: query})
			var shown string
			var refused *rs.Error
			switch {
			case response != nil:
				if !json.Valid(response.Body()) {
					t.Errorf("%d: the body is no longer JSON: %s", status, response.Body())
				}
				shown = string(response.Body()) + response.RequestID + response.URL
			case errors.As(err, &refused):
				shown = strings.Join([]string{
					refused.Error(), refused.Code, string(refused.Envelope), refused.RequestID, refused.RetryAfter, refused.URL,
				}, "\n")
			default:
				t.Fatal(err)
			}
			for _, secret := range spellings {
				if strings.Contains(shown, secret) {
					t.Errorf("%d: %q is in %s", status, secret, shown)
				}
			}
			for _, decoded := range decodings(shown) {
				if strings.Contains(decoded, bearer) {
					t.Errorf("%d, %s: the bearer can be read out of %s", status, spelling, shown)
				}
			}
			if !strings.Contains(shown, "[redacted]") {
				t.Errorf("%d: nothing was redacted in %s", status, shown)
			}
		}
	}
}

// R-ERR-6: the request in a response has no bearer, also after the client changed it.
func TestTheRequestOfAnAnswerHoldsNoBearer(t *testing.T) {
	for _, request := range []rs.Request{
		{Path: "/v1/search"},
		{Path: "/v1/search/hybrid"},
		{Path: "/v1/streams/messages/records", Query: rs.Query{}.With("changes_since", "now")},
	} {
		request.Query = request.Query.With("q", bearer)
		client, _ := serve(t, body(`{"data":[]}`))
		response, err := client.Get(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		if q, _ := response.Request.Query.Get("q"); q != "[redacted]" || response.Request.Path != request.Path {
			t.Errorf("%s: the request is %+v", request.Path, response.Request)
		}
	}
}

// decodings returns a text decoded as a JSON string once and twice, and percent-decoded.
func decodings(text string) []string {
	all := []string{text}
	for range 2 {
		text = escapes.ReplaceAllStringFunc(text, func(escape string) string {
			var decoded string
			if json.Unmarshal([]byte(`"`+escape+`"`), &decoded) != nil {
				return escape
			}
			return decoded
		})
		percent := percents.ReplaceAllStringFunc(text, func(escape string) string {
			decoded, _ := url.PathUnescape(escape) // it matches
			return decoded
		})
		all = append(all, text, percent)
	}
	return all
}

var (
	escapes  = regexp.MustCompile(`\\(u[0-9A-Fa-f]{4}|.)`)
	percents = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
)

// A text similar to a bearer, and a body without a bearer, are unchanged.
func TestOtherTextIsNotRedacted(t *testing.T) {
	for _, text := range []string{
		bearer[:len(bearer)-1], bearer[1:], strings.ToUpper(bearer), `tok_3fKq9\/aB\u002BcD=`, `tok_3fKq9%2FaB%2BcD%3`,
		`\u0074ok_3fKq9`,
		`100% sure, 5%2, \u00e9\ud83d\ude00 \" \\ \/ \n \u0000`, `%`, `\\u00`, `tok_3fKq9/aB+cD=\u003C`,
	} {
		sent := `{"data":["` + text + `"]}`
		client, _ := serve(t, body(sent))
		response, err := client.Get(t.Context(), rs.Request{Path: "/v1/schema"})
		if err != nil || string(response.Body()) != sent {
			t.Errorf("%s became %s, %v", sent, response.Body(), err)
		}
	}
}

// R-ERR-6: an answer to one bearer of a call shows none of the others.
func TestOtherBearersOfACallAreRedacted(t *testing.T) {
	for _, others := range []int{1, 2, 40} {
		var bearers []string
		for i := range others {
			bearers = append(bearers, fmt.Sprintf("%02d-other+bearer/of-the-call==", i))
		}
		secrets := rs.NewSecrets(bearers...)
		var sent strings.Builder
		for i, each := range append(bearers, bearer) {
			fmt.Fprintf(&sent, `,"%d":"%sx%s%s"`, i, strings.Repeat("y", i), each, strings.ReplaceAll(each, "+", `\u002b`))
		}
		client, _ := serve(t, body(`{"object":"x"`+sent.String()+`}`),
			func(options *rs.Options) { options.Secrets = secrets })
		response, err := client.Get(t.Context(), rs.Request{Path: "/v1/schema"})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(string(response.Body()), "[redacted][redacted]"); got != others+1 ||
			strings.Contains(string(response.Body()), "bearer") {
			t.Errorf("%d others: %d are redacted in %s", others, got, response.Body())
		}
	}
}

// R-ERR-6: a bearer of any length is found at any position.
func TestBearerIsRedactedAtEveryPlace(t *testing.T) {
	for _, length := range []int{rs.ShortestBearer, 17, 43, 71, 72, 200} {
		for _, others := range []int{0, 1, 9} {
			var bearers []string
			for i := range others {
				bearers = append(bearers, fmt.Sprintf("%d-%s", i, strings.Repeat("other", 20)))
			}
			secret, echoed := strings.Repeat("0123456789abcdefghij", 10)[:length], ""
			echo := roundTrip(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(echoed))}, nil
			})
			client, err := rs.NewClient(rs.Options{
				BaseURL: "http://rs.test", Bearer: rs.NewSecret(secret), Secrets: rs.NewSecrets(bearers...), Transport: echo,
			})
			if err != nil {
				t.Fatal(err)
			}
			for place := range 80 {
				echoed = fmt.Sprintf(`{"%s%s":1}`, strings.Repeat("y", place), secret)
				response, err := client.Get(t.Context(), rs.Request{Path: "/v1/schema"})
				if err != nil || strings.Contains(string(response.Body()), secret) {
					t.Errorf("%d characters at %d, with %d others: %s, %v", length, place, others, response.Body(), err)
				}
			}
		}
	}
}

// R-ERR-6: a bearer so short that it could be an ordinary word is refused.
func TestShortBearersAreRefused(t *testing.T) {
	for _, short := range []string{"a", "messages", strings.Repeat("x", rs.ShortestBearer-1)} {
		_, err := rs.NewClient(rs.Options{BaseURL: "http://127.0.0.1:1", Bearer: rs.NewSecret(short)})
		var option *rs.OptionError
		if !errors.As(err, &option) || option.Option != "Bearer" || !strings.Contains(err.Error(), "16 characters") {
			t.Errorf("%q: %v", short, err)
		}
	}
	if _, err := rs.NewClient(rs.Options{
		BaseURL: "http://127.0.0.1:1",
		Bearer:  rs.NewSecret(strings.Repeat("x", rs.ShortestBearer)),
	}); err != nil {
		t.Error(err)
	}
}

// R-ERR-6: a bearer of digits, echoed as a number, makes the answer invalid.
func TestRedactionThatBreaksTheBodyFails(t *testing.T) {
	client, _ := serve(t, body(`{"n":8675309867530986753098}`),
		func(options *rs.Options) { options.Bearer = rs.NewSecret("8675309867530986753098") })
	response, err := client.Get(t.Context(), rs.Request{Path: "/v1/schema"})
	if failure := asFailure(t, response, err); failure.Reason != rs.InvalidResponse {
		t.Errorf("got %v", failure)
	}
}

// R-ERR-6: a refusal and a cause show no bearer in base64, wherever it begins in the encoded text.
func TestBearerInBase64IsRedactedFromRefusals(t *testing.T) {
	for _, alphabet := range []*base64.Encoding{
		base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding,
		base64.RawURLEncoding,
	} {
		for _, before := range []string{"", "u:", "id:", "user:", "???"} {
			for _, escape := range []string{"/", `\/`} {
				spelled := strings.ReplaceAll(alphabet.EncodeToString([]byte(before+bearer+"!")), "/", escape)
				client, _ := serve(t, func(writer http.ResponseWriter, _ *http.Request) {
					writer.Header().Set("Request-Id", spelled)
					writer.Header().Set("Retry-After", spelled)
					writer.WriteHeader(http.StatusUnauthorized)
					_, _ = writer.Write([]byte(`{"error":{"message":"no Basic ` + spelled + ` here","code":"x` + spelled + `"}}`))
				})
				_, err := client.Get(t.Context(), rs.Request{Path: "/v1/schema"})
				var refused *rs.Error
				if !errors.As(err, &refused) {
					t.Fatal(err)
				}
				if refused.Message != "no Basic [redacted] here" || refused.Code != "[redacted]" ||
					refused.RequestID != "[redacted]" || refused.RetryAfter != "[redacted]" {
					t.Errorf("%q shows as %q, %q, %q, %q", spelled, refused.Message, refused.Code, refused.RequestID,
						refused.RetryAfter)
				}
			}
		}
	}
	kept := `{"error":{"message":"see 18c2f0aa71d94c55b7e0 and aGVsbG8gd29ybGQsIGhlbGxvIHdvcmxk","code":"gone_away"}}`
	client, _ := serve(t, func(writer http.ResponseWriter, _ *http.Request) {
		writer.WriteHeader(http.StatusGone)
		_, _ = writer.Write([]byte(kept))
	})
	_, err := client.Get(t.Context(), rs.Request{Path: "/v1/schema"})
	var refused *rs.Error
	if !errors.As(err, &refused) || `{"error":`+string(refused.Envelope)+`}` != kept {
		t.Errorf("other base64 was changed: %v", err)
	}
}
