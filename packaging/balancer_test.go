package packaging_test

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// balancer is a round-robin load balancer, without affinity unless a test asks for it. A replica that does not answer
// is removed and its request fails; no request is sent twice.
type balancer struct {
	url      string
	affinity bool // each token keeps to one replica, as with nginx's `hash $http_authorization`

	mu      sync.Mutex
	members []*replica
	turn    int
	served  map[string]int // answers by the name of the replica
	failed  map[string]int // unanswered requests by the name of the replica
	order   []string       // the replica of each tool call, in order
}

func newBalancer(t *testing.T) *balancer {
	t.Helper()
	b := &balancer{served: map[string]int{}, failed: map[string]int{}}
	transport := &http.Transport{}
	proxy := &httputil.ReverseProxy{
		Transport: transport,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: r.In.Header.Get(chosenHeader)})
			r.Out.Host = r.In.Host
			r.Out.Header.Del(chosenHeader)
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, _ error) {
			b.leaveOut(nameOf(r))
			w.WriteHeader(http.StatusBadGateway)
		},
		ModifyResponse: func(response *http.Response) error {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.served[nameOf(response.Request)]++
			return nil
		},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The whole request is read before it is passed on, as load balancers do.
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		b.choose(r)
		proxy.ServeHTTP(w, r)
	}))
	b.url = server.URL
	t.Cleanup(func() {
		server.Close()
		transport.CloseIdleConnections()
	})
	return b
}

// chosenHeader carries the address of the chosen replica to the proxy.
const chosenHeader = "X-Chosen-Replica"

// choose picks the next replica and puts its name into the request id, which reaches the resource server.
func (b *balancer) choose(r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turn++
	turn := b.turn
	if b.affinity {
		turn = int(crc32.ChecksumIEEE([]byte(r.Header.Get("Authorization"))))
	}
	member := b.members[turn%len(b.members)]
	b.order = append(b.order, member.name)
	r.Header.Set(chosenHeader, member.url.Host)
	r.Header.Set("X-Request-Id", fmt.Sprintf("%s.%08d", member.name, b.turn))
}

func (b *balancer) join(members ...*replica) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.members = append(b.members, members...)
}

// leave removes a replica that is not ready.
func (b *balancer) leave(member *replica) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.members = slices.DeleteFunc(b.members, func(other *replica) bool { return other == member })
}

func (b *balancer) leaveOut(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.members = slices.DeleteFunc(b.members, func(member *replica) bool { return member.name == name })
	b.failed[name]++
}

// nameOf returns the name of the replica that choose picked for a request.
func nameOf(r *http.Request) string {
	name, _, _ := strings.Cut(r.Header.Get("X-Request-Id"), ".")
	return name
}
