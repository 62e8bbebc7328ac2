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
	// readinessFor is how long an answer about the servers behind this one is kept, so that probes do not
	// become a load on them.
	readinessFor = 5 * time.Second

	// checkWithin bounds one look at both servers.
	checkWithin = 5 * time.Second
)

// readiness reports whether requests should be sent here: the authorization server and the resource server can be reached,
// and this server is not about to end.
type readiness struct {
	checkAS  func(context.Context) error
	checkRS  func(context.Context) error
	logger   *slog.Logger // is told why, which the public report does not say
	draining atomic.Bool

	mu    sync.Mutex // held while the servers are asked, so that one probe asks for all
	known readinessReport
	until time.Time
}

const (
	isReady    = "ready"
	isDraining = "draining"
)

// readinessReport is the body of /readyz. It holds no address, because it is public.
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
	// Another probe may want the answer when this one has gone.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkWithin)
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
	r.until = time.Now().Add(readinessFor)
	return r.known
}

// serveReadiness answers /readyz. It is counted, for an alert, but while the server drains: that is no trouble.
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
	encoded, _ := json.Marshal(found) // it is made of strings
	toolcall.WriteJSON(w, status, textJSON, "no-store", append(encoded, '\n'))
}
