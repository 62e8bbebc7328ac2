package resource

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"time"
)

// problem is an error answer as a Go error.
type problem struct {
	status           int
	code             string
	message          string
	param            string
	available        []availableConnection
	retryWith        string
	resourceMetadata string
	nextStep         string
	retryAfter       time.Duration // 0: no Retry-After header
	// unwrapped marks errors of the HTTP layer, such as an unknown route, whose body has another shape.
	unwrapped bool
}

func (p *problem) Error() string { return fmt.Sprintf("%d %s: %s", p.status, p.code, p.message) }

// availableConnection is one connection that an ambiguous request could name.
type availableConnection struct {
	ConnectionID string `json:"connection_id"`
	ConnectorKey string `json:"connector_key,omitempty"`
	Stream       string `json:"stream,omitempty"`
	DisplayName  string `json:"display_name"`
}

// problemDocument is the body of an error answer.
type problemDocument struct {
	Error problemBody `json:"error"`
}

type problemBody struct {
	Type                 string                `json:"type"`
	Code                 string                `json:"code"`
	Message              string                `json:"message"`
	Param                string                `json:"param,omitempty"`
	AvailableConnections []availableConnection `json:"available_connections,omitempty"`
	RetryWith            string                `json:"retry_with,omitempty"`
	ResourceMetadata     string                `json:"resource_metadata,omitempty"`
	NextStep             string                `json:"next_step,omitempty"`
	RequestID            string                `json:"request_id"`
}

// unwrappedDocument is the body of an error of the HTTP layer, such as an unknown route.
type unwrappedDocument struct {
	Message    string `json:"message"`
	Error      string `json:"error"`
	Code       string `json:"code,omitempty"`
	StatusCode int    `json:"statusCode"`
}

// problemTypes are the types of the statuses that have one; the others are api_error.
var problemTypes = map[int]string{
	http.StatusBadRequest:      "invalid_request_error",
	http.StatusUnauthorized:    "authentication_error",
	http.StatusForbidden:       "permission_error",
	http.StatusNotFound:        "not_found_error",
	http.StatusGone:            "gone_error",
	http.StatusTooManyRequests: "rate_limit_error",
}

func writeProblem(w http.ResponseWriter, r *http.Request, err error) {
	var p *problem
	if !errors.As(err, &p) {
		slog.ErrorContext(r.Context(), "sandbox request failed", "request_id", requestID(r), "path", r.URL.Path, "error", err)
		p = &problem{
			status: http.StatusInternalServerError, code: "internal_error",
			message: "The sandbox failed; its log says why.",
		}
	}
	if p.unwrapped {
		writeJSON(w, r, p.status, unwrappedDocument{
			Message: p.message, Error: http.StatusText(p.status), Code: p.code, StatusCode: p.status,
		})
		return
	}
	if p.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer resource_metadata="%s"`, p.resourceMetadata))
	}
	if p.retryAfter >= time.Second {
		w.Header().Set("Retry-After", strconv.Itoa(int(p.retryAfter.Seconds())))
	}
	writeJSON(w, r, p.status, problemDocument{Error: problemBody{
		Type: cmp.Or(problemTypes[p.status], "api_error"), Code: p.code, Message: p.message, Param: p.param,
		AvailableConnections: p.available, RetryWith: p.retryWith,
		ResourceMetadata: p.resourceMetadata, NextStep: p.nextStep, RequestID: requestID(r),
	}})
}

// invalid returns a 400 with the given code.
func invalid(code, format string, arguments ...any) *problem {
	return &problem{status: http.StatusBadRequest, code: code, message: fmt.Sprintf(format, arguments...)}
}

// invalidRequest returns a 400 with the code invalid_request.
func invalidRequest(format string, arguments ...any) *problem {
	return invalid("invalid_request", format, arguments...)
}

// of sets the parameter that the problem is about, and returns the problem.
func (p *problem) of(param string) *problem {
	p.param = param
	return p
}

func forbidden(code, format string, arguments ...any) *problem {
	return &problem{status: http.StatusForbidden, code: code, message: fmt.Sprintf(format, arguments...)}
}

func notFound(code, format string, arguments ...any) *problem {
	return &problem{status: http.StatusNotFound, code: code, message: fmt.Sprintf(format, arguments...)}
}

func routeNotFound(r *http.Request) *problem {
	return &problem{
		status: http.StatusNotFound, unwrapped: true,
		message: fmt.Sprintf("Route %s:%s not found", r.Method, r.URL.RequestURI()),
	}
}
