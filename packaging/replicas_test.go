package packaging_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// question has several pages of hits, from several sources of the package.
const (
	question = "overdraft"
	pageHits = 3
	// the chart's is longer; meanwhile this process sees that the replica is not ready, also on a busy machine
	shortDrain = "5s"
)

// cluster is three replicas of one provider's adapter behind a balancer, as the chart runs them.
type cluster struct {
	provider *provider
	balancer *balancer
	replicas []*replica
	hits     []string // ids of the question's hits with the package token, from a single replica
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{provider: newProvider(t), balancer: newBalancer(t)}
	pod := readPod(t, plainManifests)
	for _, name := range []string{"replica-a", "replica-b", "replica-c"} {
		c.replicas = append(c.replicas,
			startReplica(t, name, pod, c.provider, c.balancer.url, "", "--drain-delay", shortDrain))
	}
	var retried atomic.Int64
	hits, err := walk(t, dial(t, c.replicas[0].url.String(), c.provider.Tokens()["package"], &retried), question, pageHits)
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]bool{}
	for _, id := range hits {
		source, _, _ := strings.Cut(id, "/")
		sources[source] = true
	}
	if len(sources) < 2 || len(hits) < 5*pageHits {
		t.Fatalf("%q has %d hits in %d sources: too few for pages of several", question, len(hits), len(sources))
	}
	c.hits = hits
	c.balancer.join(c.replicas...)
	return c
}

// R-PKG-5: the cursor is the only state of a fan-out search, so each page can come from another replica.
func TestASearchContinuesAtAnyReplica(t *testing.T) {
	c := newCluster(t)
	var retried atomic.Int64
	session := dial(t, c.balancer.url, c.provider.Tokens()["package"], &retried)
	hits, err := walk(t, session, question, pageHits)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c.hits, hits); diff != "" {
		t.Errorf("hits (-one replica +three):\n%s", diff)
	}
	c.balancer.mu.Lock()
	defer c.balancer.mu.Unlock()
	for i, name := range c.balancer.order[1:] {
		if name == c.balancer.order[i] {
			t.Errorf("requests %d and %d both went to %s", i, i+1, name)
		}
	}
	if retried.Load() > 0 {
		t.Errorf("%d requests were sent twice", retried.Load())
	}
}

// load reads the whole search with many clients at once, each below its token's rate limit, and returns the retries.
func (c *cluster) load(t *testing.T) (retried int64) {
	t.Helper()
	var sent atomic.Int64
	var clients sync.WaitGroup
	for range 4 {
		session := dial(t, c.balancer.url, c.provider.Tokens()["package"], &sent)
		clients.Go(func() {
			hits, err := walk(t, session, question, pageHits)
			if err != nil {
				t.Errorf("after one retry: %v", err)
			} else if diff := cmp.Diff(c.hits, hits); diff != "" {
				t.Errorf("hits (-before +under load):\n%s", diff)
			}
		})
	}
	clients.Wait()
	return sent.Load()
}

// R-HOST-1, R-PKG-5: when a replica is killed during a call, only its calls fail, and one retry of each succeeds. Every
// search continues at the other replicas.
func TestKillingAReplicaUnderLoad(t *testing.T) {
	c := newCluster(t)
	victim := c.replicas[1]
	var reads atomic.Int64
	killed := sync.OnceFunc(victim.kill)
	// The read carries the id of the replica's request, so the replica is killed during a call.
	struck := func(requestID string) {
		if strings.HasPrefix(requestID, victim.name+".") && reads.Add(1) > 10 {
			killed()
		}
	}
	c.provider.read.Store(&struck)

	retried := c.load(t)
	select {
	case <-victim.ended:
	default:
		t.Fatal("the replica was not killed")
	}
	c.balancer.mu.Lock()
	defer c.balancer.mu.Unlock()
	failed := c.balancer.failed[victim.name]
	if failed == 0 || retried != int64(failed) || len(c.balancer.failed) != 1 {
		t.Errorf("%d requests were sent twice, and unanswered were %v; want those of %s alone", retried,
			c.balancer.failed, victim.name)
	}
	for _, member := range c.replicas {
		if c.balancer.served[member.name] == 0 {
			t.Errorf("%s answered nothing", member.name)
		}
	}
	t.Logf("%d answers by %v, %d retries", len(c.balancer.order)-failed, c.balancer.served, retried)
}

// R-HOST-9: a replica that gets SIGTERM fails /readyz first, so a balancer that checks it loses no request.
func TestDrainingAReplicaUnderLoad(t *testing.T) {
	c := newCluster(t)
	leaving := c.replicas[2]
	var reads atomic.Int64
	loaded := make(chan struct{})
	signalLoad := sync.OnceFunc(func() { close(loaded) })
	struck := func(string) {
		if reads.Add(1) > 30 {
			signalLoad()
		}
	}
	c.provider.read.Store(&struck)
	left := make(chan struct{})
	go func() {
		defer close(left)
		<-loaded
		if err := leaving.command.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		untilNotReady(t, leaving)
		c.balancer.leave(leaving)
	}()

	retried := c.load(t)
	signalLoad()
	<-left
	<-leaving.ended
	c.balancer.mu.Lock()
	defer c.balancer.mu.Unlock()
	if retried > 0 || len(c.balancer.failed) > 0 {
		t.Errorf("%d requests were sent twice, and unanswered were %v", retried, c.balancer.failed)
	}
	if state := leaving.command.ProcessState; !state.Success() {
		t.Errorf("the replica ended with %v", state)
	}
}

func untilNotReady(t *testing.T, r *replica) {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		response, err := http.Get(r.url.String() + r.pod.Readiness.Get.Path)
		if err != nil {
			t.Errorf("readiness cannot be asked: %v", err)
			return
		}
		_, _ = io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if response.StatusCode == http.StatusServiceUnavailable {
			return
		}
	}
	t.Error("the replica is still ready")
}
