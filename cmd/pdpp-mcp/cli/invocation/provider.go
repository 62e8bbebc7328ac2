package invocation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/admission"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential/connect"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/audit"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const (
	providerFlag = "provider-url"
	grantFlag    = "grant-id"
)

// AddProviderURL adds the flag that names one provider.
func AddProviderURL(flags *pflag.FlagSet, url *string, usage string) {
	flags.StringVar(url, providerFlag, "", usage)
	ReadVariables(flags, providerFlag)
}

// AddProviderURLs adds the flag that names one or several providers.
func AddProviderURLs(flags *pflag.FlagSet, urls *[]string, usage string) {
	flags.StringSliceVar(urls, providerFlag, nil, usage)
	ReadVariables(flags, providerFlag)
}

// AddReadOn adds the flag that bounds the records that the adapter reads for one call.
func AddReadOn(flags *pflag.FlagSet, limit *int) {
	*limit = tool.DefaultReadOn
	flags.Var((*readOn)(limit), "read-on", "maximum records a call may read when the provider cannot filter, sort or group (0 disables)")
	ReadVariables(flags, "read-on")
	annotate(flags, "read-on", sharedFlag, "")
}

// readOn is the value of the flag of AddReadOn. It is a pflag.Value.
type readOn int

func (r *readOn) Set(passed string) error {
	value, err := strconv.Atoi(passed)
	if err != nil || value < 0 {
		return fmt.Errorf("use 0 to disable it, or a number such as %d", tool.DefaultReadOn)
	}
	*r = readOn(value)
	return nil
}

func (r *readOn) Type() string { return "int" }

func (r *readOn) String() string { return strconv.Itoa(int(*r)) }

// AddCacheRoot adds the flag that names the credential cache.
func AddCacheRoot(flags *pflag.FlagSet, cacheRoot *string) {
	flags.StringVar(cacheRoot, "cache-root", "", "`directory` of the credential cache (default .pdpp here if it exists, otherwise ~/.pdpp)")
	ReadVariables(flags, "cache-root")
}

// AddGrants adds the flag that names grants.
func AddGrants(flags *pflag.FlagSet, grants *[]string, usage string) {
	flags.StringArrayVar(grants, grantFlag, nil, usage)
	ReadVariables(flags, grantFlag)
}

// OpenCache opens the credential cache at root, or the default one if root is empty.
func OpenCache(root string, logger *slog.Logger) (*credential.Cache, error) {
	if root == "" {
		var err error
		if root, err = credential.DefaultRoot(); err != nil {
			return nil, err
		}
	}
	return &credential.Cache{Root: root, Logger: logger}, nil
}

// ClearText decides whether tokens may be sent over plain http to another machine.
type ClearText struct{ Allowed bool }

// AllowPlainHTTP is the name of the flag of ClearText.
const AllowPlainHTTP = "allow-plain-http"

// AddFlags adds the flag AllowPlainHTTP.
func (c *ClearText) AddFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&c.Allowed, AllowPlainHTTP, false, "send tokens over plain http to other machines too (only in a private network)")
	ReadVariables(flags, AllowPlainHTTP)
}

// Refuse returns an error for an address that would carry a token in clear text to another machine, unless that is
// allowed.
func (c *ClearText) Refuse(name, address string) error {
	if c.Allowed {
		return nil
	}
	return credential.RefuseClearText(name, address)
}

const accessTokenVariable = "PDPP_ACCESS_TOKEN"

// Provider has the flags that choose a resource server and a credential.
type Provider struct {
	URL             string
	CacheRoot       string
	Grants          []string // ids or labels
	AccessTokenFile string
	Timeout         time.Duration
	ClearText       ClearText

	Transport http.RoundTripper // to the resource server; nil for the default

	flags  *pflag.FlagSet    // of AddAccess; may be nil
	chosen *credential.Entry // by Sources.Each, or when its token is read; nil: the latest one of Grants
	caller audit.Caller      // the client and grant of a cached token
}

// AddFlags adds the flags of a command that reads one provider.
func (p *Provider) AddFlags(flags *pflag.FlagSet) {
	AddProviderURL(flags, &p.URL, "`url` of the PDPP provider, such as https://pdpp.example (default: the only connected one)")
	AddGrants(flags, &p.Grants, "`grant` whose cached credential is used, by its id or label (default: the latest one)")
	p.AddAccess(flags)
	markShared(flags)
}

// AddAccess adds the flags for the cache, the token and the connection.
func (p *Provider) AddAccess(flags *pflag.FlagSet) {
	p.flags = flags
	AddCacheRoot(flags, &p.CacheRoot)
	flags.StringVar(&p.AccessTokenFile, "access-token-file", "", "`file` with a scoped token, instead of the cache; PDPP_ACCESS_TOKEN may hold the token itself")
	ReadConfigured(flags, "access-token-file")
	AddTimeout(flags, &p.Timeout, "maximum time of one request to the resource server")
	p.ClearText.AddFlags(flags)
}

// markShared marks the flags that every command with a provider has.
func markShared(flags *pflag.FlagSet) {
	for _, name := range []string{providerFlag, grantFlag, "cache-root", "access-token-file", "rs-timeout", AllowPlainHTTP} {
		annotate(flags, name, sharedFlag, "")
	}
}

// choose sets the URL to the only provider of the cache if no provider was named. A token that was passed for this run
// is never sent to a provider that was not named.
func (p *Provider) choose() error {
	if source, _ := p.Passed(); p.URL != "" || source != "" {
		return nil
	}
	cache, err := OpenCache(p.CacheRoot, nil)
	if err != nil {
		return err
	}
	cache.KeepModes = true // the reader of a credential restricts its file
	p.URL, err = cache.OnlyProvider(p.Grants...)
	return err
}

// SignIn returns the command line that stores another credential in the same cache.
func (p *Provider) SignIn() string {
	address, _ := credential.ParseProviderURL(p.URL)
	cache, err := OpenCache(p.CacheRoot, nil)
	if err != nil {
		return commandline.Connect(address, "")
	}
	cache.KeepModes = true // the reader of a credential restricts its file
	entry := p.chosen
	if source, _ := p.Passed(); entry == nil && source == "" {
		entry, _ = cache.Load(p.URL, p.Grants, time.Now()) // without one, the command names no source
	}
	if entry == nil {
		return commandline.Connect(address, cache.NamedRoot())
	}
	return entry.Credential.SameRequest().Connect(address, cache.NamedRoot())
}

// Admitted returns a client with the scoped token, and the compact schema, by which the resource server has confirmed
// that the token is a client's.
func (p *Provider) Admitted(ctx context.Context, logger *slog.Logger) (*rs.Client, *rs.Response, error) {
	client, err := p.Reader(ctx, logger)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, host.DefaultCallTimeout)
	defer cancel()
	schema, err := admission.Admit(ctx, client, p.SignIn())
	if explained, ok := errors.AsType[*tool.Explained](err); ok {
		p.noteEnd(err)
		err = AdvisedToSignIn(err, explained.Command)
	}
	return client, schema, err
}

// noteEnd records in the cache that the provider refused the grant as ended.
func (p *Provider) noteEnd(err error) {
	refused, isRefused := errors.AsType[*rs.Error](err)
	cache, failed := OpenCache(p.CacheRoot, nil)
	if isRefused && refused.EndsGrant() && p.chosen != nil && failed == nil {
		_ = cache.NoteEnd(p.chosen, time.Now()) // the refusal matters more than the note
	}
}

// Reader returns a client with the scoped token. It makes no request unless a cached token must be renewed (R-LOCAL-5).
func (p *Provider) Reader(ctx context.Context, logger *slog.Logger) (*rs.Client, error) {
	p.Transport = logged(ctx, p.Transport, logger)
	if _, err := p.address(); err != nil {
		return nil, err
	}
	token, err := p.token(ctx, logger)
	if err != nil {
		return nil, err
	}
	return p.client(token)
}

func (p *Provider) client(token rs.Secret) (*rs.Client, error) {
	address, err := p.address()
	if err != nil {
		return nil, err
	}
	return rs.NewClient(rs.Options{BaseURL: address, Bearer: token, Timeout: p.Timeout, Transport: p.Transport})
}

// address returns the provider's URL. It refuses an owner credential in the environment and a URL that would carry
// tokens in clear text.
func (p *Provider) address() (string, error) {
	if err := credential.RefuseOwnerEnvironment(os.Environ()); err != nil {
		return "", err
	}
	if err := p.choose(); err != nil {
		return "", err
	}
	address, err := credential.ParseProviderURL(p.URL)
	if err == nil {
		err = p.ClearText.Refuse("provider URL", address)
	}
	if err != nil && p.flags != nil && Place(p.flags, providerFlag) != "--"+providerFlag { // the command line is right, and a setting is wrong
		wrong := &WrongSettings{}
		wrong.Add(p.flags, providerFlag, p.URL, err.Error())
		return "", wrong
	}
	return address, err
}

// Grant returns the label or id of the credential that Each chose, or an empty string.
func (p *Provider) Grant() string {
	if p.chosen == nil {
		return ""
	}
	return cmp.Or(p.chosen.Credential.Label, p.chosen.Credential.GrantID)
}

// Account returns the audit log of this machine (R-OPS-2), and the client and grant of the token. The log is nil
// without a cache.
func (p *Provider) Account(logger *slog.Logger) (*audit.Log, audit.Caller) {
	cache, err := OpenCache(p.CacheRoot, logger)
	if err != nil { // a container may have no home
		logger.Warn("reads are not logged", "error", err)
		return nil, p.caller
	}
	return audit.NewFile(cache.PrepareActivity(), audit.LocalLimits, logger), p.caller
}

// Accounting begins the entry of a call in the audit log. It returns a reader for the call, and a function that ends
// the entry.
type Accounting func(inner rs.Reader) (reader rs.Reader, end func(rows int, err error))

// Accounting returns the Accounting of a command. The audit log has the commands too, because agents use shells.
func (p *Provider) Accounting(client, call string, logger *slog.Logger) Accounting {
	account, caller := p.Account(logger)
	caller.ClientName = client
	return func(inner rs.Reader) (rs.Reader, func(int, error)) {
		started, entry := time.Now(), account.Begin(caller, call)
		return entry.Reader(inner), func(rows int, err error) { entry.End(rows, tool.AuditCode(err), time.Since(started)) }
	}
}

// Passed returns the source of a token that was passed for this run, and a function that reads it. The source is empty
// if none was passed.
func (p *Provider) Passed() (source string, read func() (rs.Secret, error)) {
	value := os.Getenv(accessTokenVariable)
	switch {
	case p.AccessTokenFile != "":
		return "--access-token-file", func() (rs.Secret, error) { return credential.ReadTokenFile(p.AccessTokenFile) }
	case value != "":
		return accessTokenVariable, func() (rs.Secret, error) { return credential.TokenFromEnvironment(value) }
	}
	return "", nil
}

// token returns the token that was passed for this run, or the cached one.
func (p *Provider) token(ctx context.Context, logger *slog.Logger) (rs.Secret, error) {
	if source, read := p.Passed(); source != "" {
		if len(p.Grants) > 0 {
			logger.Warn("--grant-id has no effect: the access token was passed without its grant", "grant_id", p.Grants)
		}
		return read()
	}
	cache, err := OpenCache(p.CacheRoot, logger)
	if err != nil {
		return rs.Secret{}, err
	}
	entry := p.chosen
	if entry == nil {
		if entry, err = cache.Load(p.URL, p.Grants, time.Now()); err != nil {
			return rs.Secret{}, err
		}
	}
	if entry, err = (&connect.Renewal{Cache: cache}).Current(ctx, entry); err != nil {
		return rs.Secret{}, err
	}
	p.chosen = entry
	p.setCaller(entry)
	return entry.Credential.AccessToken, nil
}

func (p *Provider) setCaller(entry *credential.Entry) {
	p.caller = audit.Caller{ClientID: entry.Client.ClientID, GrantID: entry.Credential.GrantID}
}
