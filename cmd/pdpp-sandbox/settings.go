package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/flow"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

const (
	defaultListen = "127.0.0.1:8787"
	anyPort       = "127.0.0.1:0"
)

// defaultAdapters are the origins of a pdpp-mcp serve that listens on its default address.
var defaultAdapters = []string{"http://127.0.0.1:8788", "http://localhost:8788"}

// settings are the flags.
type settings struct {
	listen      string
	dataDir     string
	cacheRoot   string
	readyFile   string
	secretFile  string
	publicURL   string
	demo        string
	grants      string
	reads       resource.Reads
	coming      resource.Coming
	quirks      resource.Quirks
	strict      bool // registrations
	adapters    []string
	members     bool
	documents   flow.Documents
	seed        uint64
	person      uint64
	printTokens bool
}

// errArguments refuses positional arguments.
var errArguments = errors.New("pdpp-sandbox takes flags only; --help lists them")

// The values of --grants.
const (
	oneGrant          = "one"
	eachGrant         = "each"
	overlappingGrants = "overlapping"
)

// errGrants refuses an unknown value of --grants.
var errGrants = errors.New("must be one, each or overlapping")

// errReads refuses an unknown value of --reads.
var errReads = fmt.Errorf("must be one of %q", resource.AllReads())

// errDocuments refuses an unknown value of --client-documents.
var errDocuments = fmt.Errorf("must be one of %q", flow.AllDocuments())

func parseSettings(arguments []string, stderr io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("pdpp-sandbox", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.listen, "listen", defaultListen, "`address` to listen on; port 0 takes a free one, as --demo does when the default is taken")
	flags.StringVar(&s.dataDir, "data-dir", "", "`directory` that keeps the records over restarts (default: in memory)")
	flags.StringVar(&s.cacheRoot, "cache-root", "", "`directory` of the credential cache (default: ./.pdpp if it exists, otherwise ~/.pdpp)")
	flags.StringVar(&s.readyFile, "ready-file", "", "`file` to write as JSON, once requests are answered: URL, tokens and introspection credentials")
	flags.StringVar(&s.secretFile, "introspection-secret-file", "", "`file` to write the introspection secret to, for pdpp-mcp serve")
	flags.StringVar(&s.publicURL, "public-url", "", "`origin` that clients see (default: http://<listen address>)")
	flags.StringVar(&s.demo, "demo", "", "pdpp-mcp `binary` to show: one call of it over stdio, and the lines that connect a host to it")
	s.grants = oneGrant
	flags.Func("grants", "what to write to the cache: one grant of all connections, a grant of each, or overlapping: a mailbox and, newer, four fields of its messages of three weeks (default one)", func(which string) error {
		if s.grants = which; which != oneGrant && which != eachGrant && which != overlappingGrants {
			return errGrants
		}
		return nil
	})
	flags.Uint64Var(&s.seed, "seed", 1, "`number` that chooses the sample data")
	flags.Uint64Var(&s.person, "person", 0, "`number` of a generated person, whose names, days, amounts and events differ (0: the sample data)")
	s.reads = resource.ReadsV01
	flags.Func("reads", "what client tokens may ask: v0.1 as PDPP has it, or open: filters, views, expansions, and a schema with types (default v0.1)", func(kind string) error {
		s.reads = resource.Reads(kind)
		if !slices.Contains(resource.AllReads(), s.reads) {
			return errReads
		}
		return nil
	})
	flags.Func("coming", "`name=value` of an answer that later versions of PDPP give: origin, ranking_scope, freshness, unavailable (a connection), retry_after; repeatable", s.coming.Set)
	flags.Func("quirk", "`name` of a habit of the reference provider: shifted-dates, narrow-index, stale-index or strict-registration; repeatable", func(name string) error {
		if name == "strict-registration" {
			s.strict = true
			return nil
		}
		return s.quirks.Set(name)
	})
	flags.Func("adapter-url", "`origin` of a pdpp-mcp serve at which hosts may sign in here; repeatable (default "+strings.Join(defaultAdapters, " and ")+")", func(origin string) error {
		s.adapters = append(s.adapters, strings.TrimSuffix(origin, "/"))
		return nil
	})
	flags.BoolVar(&s.members, "package-members", true, "publish the members of a package in its introspection, as the hosted adapter needs it")
	flags.Func("client-documents", "take clients by the URL of their metadata document: none, public, or anywhere, which reads from this machine too, for tests (default none)", func(kind string) error {
		s.documents = flow.Documents(kind)
		if !slices.Contains(flow.AllDocuments(), s.documents) {
			return errDocuments
		}
		return nil
	})
	flags.BoolVar(&s.printTokens, "print-tokens", false, "print the ready tokens and the introspection credentials")
	if err := flags.Parse(arguments); err != nil {
		return settings{}, fmt.Errorf("read flags: %w", err)
	}
	if flags.NArg() > 0 {
		return settings{}, fmt.Errorf("unexpected argument %q: %w", flags.Arg(0), errArguments)
	}
	if s.adapters == nil {
		s.adapters = defaultAdapters
	}
	if s.cacheRoot == "" {
		root, err := credential.DefaultRoot()
		if err != nil {
			return settings{}, err
		}
		s.cacheRoot = root
	}
	return s, nil
}
