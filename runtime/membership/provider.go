package membership

import (
	"errors"
	"io/fs"
	"os"

	"github.com/pdppmcp/pdpp-mcp/runtime/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// provider is one file of the cache as it was last read.
type provider struct {
	url     string
	path    string // of the file
	retries *rs.RetryBudget
	info    fs.FileInfo // of the file that was read; nil if it did not exist
	grants  []*grant    // selected grants, newest first, ended ones included
	err     error       // why none of them is usable
}

// current rereads changed files. It returns the grants, and a missing source for each provider without grants. It returns an error if no
// provider has a usable grant.
func (m *Membership) current() (grants []*grant, absent []fanout.Source, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.refusal != nil {
		return nil, nil, m.refusal.OfCall()
	}
	isChanged := false
	usable := 0
	for _, each := range m.providers {
		if !each.isUnchanged() {
			m.load(each)
			isChanged = true
		}
		switch {
		case each.err == nil:
			usable++
		case each.grants == nil:
			absent = append(absent, fanout.Source{ // the grants were removed
				GrantID: each.url, DisplayName: each.url, Reconnect: commandline.Connect(each.url, m.options.Cache.NamedRoot()),
				Missing: &fanout.EndedError{Reason: "credential_missing", Message: each.err.Error()},
			})
		}
	}
	if isChanged {
		m.shareSecrets()
	}
	if usable == 0 {
		return nil, nil, m.providers[0].unusable()
	}
	return m.grants(), absent, nil
}

// unusable returns the error of a call without a usable grant, with a sign-in for an expired one.
func (p *provider) unusable() error {
	err := unusable(p.err)
	if len(p.grants) == 0 {
		return err
	}
	return &tool.SignInError{Cause: err, SignIn: p.grants[0].signIn}
}

// isUnchanged reports whether the file is the one that was read. Writers always replace the whole file.
func (p *provider) isUnchanged() bool {
	now, err := os.Lstat(p.path)
	if err != nil || p.info == nil {
		return err != nil && p.info == nil
	}
	return os.SameFile(now, p.info) && now.ModTime().Equal(p.info.ModTime()) && now.Size() == p.info.Size()
}

// load reads the file. Grants with an unchanged token are kept.
func (m *Membership) load(p *provider) {
	p.info, _ = os.Lstat(p.path) // before reading, so that a later change is noticed
	entries, err := m.options.Cache.Select(p.url, m.namesOf(p), m.options.Now())
	known := p.grants
	p.err, p.grants = err, nil
	if failure, ok := errors.AsType[*credential.Error](err); ok && failure.Class != credential.Configuration {
		return // an owner credential is among them
	}
	for _, entry := range entries {
		p.grants = append(p.grants, m.grantOf(p, entry, known))
	}
}

// grantOf returns the grant of a credential: a known one if its token is unchanged, and otherwise a new one with the known coverage.
func (m *Membership) grantOf(p *provider, entry *credential.Entry, known []*grant) *grant {
	made := &grant{provider: p, membership: m, entry: entry}
	for _, each := range known {
		each.mu.Lock()
		stored := each.entry.Credential
		isSameGrant := stored.GrantID == entry.Credential.GrantID
		isSameToken := isSameGrant && stored.AccessToken.Reveal() == entry.Credential.AccessToken.Reveal()
		if isSameToken {
			each.entry = entry
		} else if isSameGrant && stored.GrantID != "" {
			made.covered = each.covered
		}
		each.mu.Unlock()
		if isSameToken {
			return each
		}
	}
	made.admission = host.NewAdmission(m.lifetime, rs.Wrap(made, made.read, nil), m.connectAgain(p, entry), made.learn)
	return made
}

// grants returns the grants of all providers.
func (m *Membership) grants() []*grant {
	var grants []*grant
	for _, each := range m.providers {
		grants = append(grants, each.grants...)
	}
	return grants
}

// shareSecrets gives every grant a client that redacts the secrets of all grants (R-ERR-6).
func (m *Membership) shareSecrets() {
	var bearers []string
	for _, each := range m.grants() {
		stored := each.stored().Credential
		bearers = append(bearers, stored.AccessToken.Reveal(), stored.RefreshToken.Reveal())
	}
	secrets := rs.NewSecrets(bearers...)
	for _, each := range m.grants() {
		each.mu.Lock()
		each.secrets = secrets
		each.makeClient()
		each.mu.Unlock()
	}
}

// namesOf returns the names to select grants of a provider. With several providers, these are the names that its grants have, or all names
// if its grants have none of them.
func (m *Membership) namesOf(p *provider) []string {
	if own := credential.Named(m.stored(p), m.options.Grants); len(m.providers) > 1 && len(own) > 0 {
		return own
	}
	return m.options.Grants
}

// stored returns the provider's grants in the cache. It ignores errors, because load records them.
func (m *Membership) stored(p *provider) []*credential.Entry {
	stored, _ := m.options.Cache.Grants(p.url)
	return stored
}

// refuseNames returns an error for a name that no grant has.
func (m *Membership) refuseNames() error {
	var stored []*credential.Entry
	for _, each := range m.providers {
		stored = append(stored, m.stored(each)...)
	}
	return m.options.Cache.CheckNames(m.options.Grants, stored)
}
