package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// patient is a provider for the doctor to check: the sandbox on its own address, with faults that scripts choose.
type patient struct {
	server *httptest.Server

	mu     sync.Mutex
	seen   []string
	status map[string]int // of paths that do not answer as the sandbox does
	skew   time.Duration  // of its clock
}

type patientKey struct{}

func newPatient(healthy http.Handler) *patient {
	p := &patient{status: make(map[string]int)}
	p.server = httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		status, skew := p.note(request)
		response.Header().Set("Date", time.Now().Add(skew).UTC().Format(http.TimeFormat))
		if status != 0 {
			response.WriteHeader(status)
			return
		}
		answer := httptest.NewRecorder()
		healthy.ServeHTTP(answer, request)
		response.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		response.WriteHeader(answer.Code)
		// The sandbox's answers have the address that it was made with.
		_, _ = response.Write(bytes.ReplaceAll(answer.Body.Bytes(), []byte("http://sandbox.test"),
			[]byte("http://"+request.Host)))
	}))
	return p
}

// note records the request and returns the faults for it.
func (p *patient) note(request *http.Request) (status int, skew time.Duration) {
	scheme, _, _ := strings.Cut(request.Header.Get("Authorization"), " ")
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = append(p.seen,
		strings.TrimSpace(strings.Join([]string{request.Method, request.URL.RequestURI(), scheme}, " ")))
	return p.status[request.URL.Path], p.skew
}

// TestDoctorScripts runs testdata/doctor, and TestSetupScripts testdata/setup, with the whole program.
func TestDoctorScripts(t *testing.T) { runPatientScripts(t, "doctor") }

func TestSetupScripts(t *testing.T) { runPatientScripts(t, "setup") }

func runPatientScripts(t *testing.T, folder string) {
	box := newSandbox(t, resource.ReadsV01)
	runScripts(t, testscript.Params{
		Dir: filepath.Join("testdata", folder),
		Setup: func(env *testscript.Env) error {
			patient := newPatient(box.Handler())
			env.Defer(patient.server.Close)
			env.Values[patientKey{}] = patient
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("PROVIDER", patient.server.URL)
			env.Setenv("KEY", strings.ReplaceAll(strings.TrimPrefix(patient.server.URL, "http://"), ":", "_"))
			env.Setenv("PDPP_RS_TIMEOUT", "1m") // test machines are busy
			for name, token := range box.Tokens() {
				env.Setenv("TOKEN_"+strings.ToUpper(name), token)
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"connected": connected,
			"refuses":   refuses,
			"hides":     hides,
			"mode":      mode,
			"write":     write,
			"exits":     exits,
			"fault":     fault,
			"asked":     asked,
		},
	})
}

// exits is ends for a command that must print no token.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	ends(ts, neg, args)
	hides(ts, false, nil)
}

// fault sets a fault of the provider: fault <path> <status>, or fault clock <duration>. A status of 0 clears it.
func fault(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: fault <path> <status> | fault clock <duration>")
	}
	patient := ts.Value(patientKey{}).(*patient)
	patient.mu.Lock()
	defer patient.mu.Unlock()
	if args[0] == "clock" {
		skew, err := time.ParseDuration(args[1])
		ts.Check(err)
		patient.skew = skew
		return
	}
	status, err := strconv.Atoi(args[1])
	ts.Check(err)
	patient.status[args[0]] = status
}

// asked puts the provider's requests since the last time on stdout: method, path and query, and a mark for a bearer.
func asked(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: asked")
	}
	patient := ts.Value(patientKey{}).(*patient)
	patient.mu.Lock()
	defer patient.mu.Unlock()
	_, err := ts.Stdout().Write([]byte(strings.Join(append(patient.seen, ""), "\n")))
	ts.Check(err)
	patient.seen = nil
}
