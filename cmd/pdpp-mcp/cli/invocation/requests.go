package invocation

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// requestLog logs each request of a command with its answer: method, URL, status and time. It omits headers and bodies,
// because they contain tokens.
type requestLog struct {
	http.RoundTripper
	logger *slog.Logger
}

// logged returns a transport that logs requests. Above the level debug, it returns the transport unchanged, which may
// be nil.
func logged(ctx context.Context, transport http.RoundTripper, logger *slog.Logger) http.RoundTripper {
	if _, isLogged := transport.(requestLog); isLogged || !logger.Enabled(ctx, slog.LevelDebug) {
		return transport
	}
	return requestLog{cmp.Or[http.RoundTripper](transport, rs.NewTransport()), logger}
}

// RoundTrip sends a request and logs it.
func (l requestLog) RoundTrip(request *http.Request) (*http.Response, error) {
	started := time.Now()
	response, err := l.RoundTripper.RoundTrip(request)
	attributes := []any{"method", request.Method, "url", request.URL.Redacted()}
	if err == nil {
		attributes = append(attributes, "status", response.StatusCode)
	} else {
		attributes = append(attributes, "error", err)
	}
	l.logger.Debug("request", append(attributes, "duration_ms", time.Since(started).Milliseconds())...)
	return response, err
}
