package host

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
)

const (
	readinessCached = 5 * time.Second // limits the load that probes put on the other servers
	checkTimeout    = 5 * time.Second // of both servers
)

// readiness reports whether this server accepts requests: both other servers are reachable, and it is not draining.
type readiness struct {
	draining atomic.Bool

	mu    sync.Mutex // held during checks, so that concurrent probes share one
	known readinessReport
	until time.Time
}

const (
	isReady    = "ready"
	isDraining = "draining"
)

// readinessReport is the body of /readyz. It is public and contains no address.
type readinessReport struct {
	Status              string `json:"status"` // ready, unavailable or draining
	AuthorizationServer string `json:"authorization_server,omitempty"`
	ResourceServer      string `json:"resource_server,omitempty"`
}

// report returns whether this server accepts requests. It logs why not, because the public report has no reason.
func (h *Handler) report(ctx context.Context) readinessReport {
	r := &h.readiness
	if r.draining.Load() {
		return readinessReport{Status: isDraining}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Now().Before(r.until) {
		return r.known
	}
	// The check does not end with this probe, because other probes may wait for its result.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkTimeout)
	defer cancel()
	var both sync.WaitGroup
	var errAS, errRS error
	both.Go(func() { errAS = h.options.Verifier.Check(ctx) })
	both.Go(func() { errRS = h.checkRS(ctx) })
	both.Wait()
	before := r.known.Status
	r.known = readinessReport{Status: isReady, AuthorizationServer: "reachable", ResourceServer: "reachable"}
	if errAS != nil {
		r.known.Status, r.known.AuthorizationServer = "unavailable", "unreachable"
	}
	if errRS != nil {
		r.known.Status, r.known.ResourceServer = "unavailable", "unreachable"
	}
	switch {
	case r.known.Status != isReady && before != r.known.Status:
		h.options.Logger.Warn("not ready", "error", errors.Join(errAS, errRS))
	case r.known.Status == isReady && before != "" && before != isReady:
		h.options.Logger.Info("ready again")
	}
	r.until = time.Now().Add(readinessCached)
	return r.known
}

// Check reports whether the authorization server and the resource server can be used. Unlike /readyz it caches nothing.
func (h *Handler) Check(ctx context.Context) (authorizationServer, resourceServer error) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	return h.options.Verifier.Check(ctx), h.checkRS(ctx)
}

// serveReadiness answers /readyz. The metrics count it for an alert, except while the server drains.
func (h *Handler) serveReadiness(w http.ResponseWriter, r *http.Request) {
	started := time.Now()
	found := h.report(r.Context())
	status := http.StatusOK
	if found.Status != isReady {
		status = http.StatusServiceUnavailable
	}
	writeProbe(w, status, found)
	if found.Status != isDraining {
		h.options.Recorder.Request(readinessPath, status, time.Since(started))
	}
}

func writeProbe(w http.ResponseWriter, status int, found readinessReport) {
	encoded, _ := json.Marshal(found) // it consists of strings
	toolcall.WriteJSON(w, status, textJSON, "no-store", append(encoded, '\n'))
}
