package membership

import (
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// provider is one file of the cache as it was last read.
type provider struct {
	url     string
	path    string // of the file
	retries *rs.RetryBudget
	seen    fs.FileInfo // of the file when it was read; nil if it did not exist
	grants  []*grant    // selected grants, newest first, ended ones included
	err     error       // why none of them is usable
}

// current rereads changed files. It returns the grants, and a missing source for each provider without any. It returns an error if no
// provider has a usable grant.
func (m *Membership) current() (grants []*grant, without []fanout.Source, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.refusal != nil {
		return nil, nil, m.refusal.OfCall()
	}
	isChanged := false
	usable := 0
	for _, each := range m.providers {
		if !each.isAsSeen() {
			m.look(each)
			isChanged = true
		}
		switch {
		case each.err == nil:
			usable++
		case each.grants == nil:
			without = append(without, m.withoutGrant(each))
		}
	}
	if isChanged {
		m.equip()
	}
	if usable == 0 {
		return nil, nil, unusable(m.providers[0].err)
	}
	return m.grants(), without, nil
}

// withoutGrant returns a missing source for a provider whose grants were removed.
func (m *Membership) withoutGrant(p *provider) fanout.Source {
	return fanout.Source{
		GrantID: p.url, DisplayName: p.url, Reconnect: m.signIn(p),
		Missing: &fanout.EndedError{Reason: "credential_missing", Message: p.err.Error()},
	}
}

// isAsSeen reports whether the file is the one that was read. Every tool replaces the whole file.
func (p *provider) isAsSeen() bool {
	now, err := os.Lstat(p.path)
	if err != nil || p.seen == nil {
		return err != nil && p.seen == nil
	}
	return os.SameFile(now, p.seen) && now.ModTime().Equal(p.seen.ModTime()) && now.Size() == p.seen.Size()
}

// look reads the file. Grants with an unchanged token are kept.
func (m *Membership) look(p *provider) {
	p.seen, _ = os.Lstat(p.path) // before reading, so that a later change is noticed
	entries, err := m.options.Cache.Select(credential.Selection{ProviderURL: p.url, Grants: m.namesOf(p)}, m.options.Now())
	before := p.grants
	p.err, p.grants = err, nil
	if failure, ok := errors.AsType[*credential.Error](err); ok && failure.Class != credential.Configuration {
		return // an owner credential is among them
	}
	for _, entry := range entries {
		p.grants = append(p.grants, m.noted(p, entry, before))
	}
}

// noted returns the grant of a credential: the known one if its token is the same, or else a new one with the known coverage.
func (m *Membership) noted(p *provider, entry *credential.Entry, before []*grant) *grant {
	made := &grant{provider: p, membership: m, entry: entry}
	for _, each := range before {
		own := each.stored().Credential
		switch {
		case own.GrantID != entry.Credential.GrantID:
		case own.AccessToken.Reveal() == entry.Credential.AccessToken.Reveal():
			each.note(entry)
			return each
		case own.GrantID != "":
			made.covered = each.knownCoverage()
		}
	}
	made.admission = host.NewAdmission(m.lifetime, rs.Wrap(made, made.read, nil), m.again(p, entry), made.learn)
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

// equip gives every grant a client that redacts the secrets of all grants (R-ERR-6).
func (m *Membership) equip() {
	var bearers []string
	for _, each := range m.grants() {
		stored := each.stored().Credential
		bearers = append(bearers, stored.AccessToken.Reveal(), stored.RefreshToken.Reveal())
	}
	secrets := rs.NewSecrets(bearers...)
	for _, each := range m.grants() {
		each.equip(secrets)
	}
}

// namesOf returns the selected names of a provider. With several providers these are its own names, or all names if it has none of them.
func (m *Membership) namesOf(p *provider) []string {
	if own := credential.Named(m.stored(p), m.options.Grants); len(m.providers) > 1 && len(own) > 0 {
		return own
	}
	return m.options.Grants
}

// stored returns the provider's grants in the cache. Without any, look says why.
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
	known := credential.Named(stored, m.options.Grants)
	for _, name := range m.options.Grants {
		if !slices.Contains(known, name) {
			return m.options.Cache.UnknownGrant(name, stored)
		}
	}
	return nil
}
