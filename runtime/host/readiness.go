package host

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/host/toolcall"
)

const (
	readinessCached = 5 * time.Second // limits the load that probes put on the other servers
	checkTimeout    = 5 * time.Second // of both servers
)

// readiness reports whether this server accepts requests: both other servers are reachable, and it is not draining.
type readiness struct {
	checkAS  func(context.Context) error
	checkRS  func(context.Context) error
	logger   *slog.Logger // for the reason, which the public report lacks
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

func (r *readiness) report(ctx context.Context) readinessReport {
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
	both.Go(func() { errAS = r.checkAS(ctx) })
	both.Go(func() { errRS = r.checkRS(ctx) })
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
		r.logger.Warn("not ready", "error", errors.Join(errAS, errRS))
	case r.known.Status == isReady && before != "" && before != isReady:
		r.logger.Info("ready again")
	}
	r.until = time.Now().Add(readinessCached)
	return r.known
}

// Check reports whether the authorization server and the resource server can be used. Unlike /readyz it caches nothing.
func (h *Handler) Check(ctx context.Context) (authorizationServer, resourceServer error) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	return h.readiness.checkAS(ctx), h.readiness.checkRS(ctx)
}

// serveReadiness answers /readyz. The metrics count it for an alert, except while the server drains.
func (h *Handler) serveReadiness(w http.ResponseWriter, r *http.Request) {
	started := time.Now()
	found := h.readiness.report(r.Context())
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
