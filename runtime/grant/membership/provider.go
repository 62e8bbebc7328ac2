package membership

import (
	"errors"
	"io/fs"
	"os"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/admission"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
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

// current rereads changed files. It returns the grants and a missing source for each provider without any, or an error
// if none is usable.
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
		first := m.providers[0]
		err = unusable(first.err)
		if len(first.grants) > 0 { // an expired one
			ended := first.grants[0]
			err = &tool.SignInError{Cause: err, Command: m.connectAgain(ended.stored()), SignIn: ended.signIn}
		}
		return nil, nil, err
	}
	return m.grants(), absent, nil
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

// grantOf returns the grant of a credential: a known one if its token is unchanged, and otherwise a new one with the
// known coverage.
func (m *Membership) grantOf(p *provider, entry *credential.Entry, known []*grant) *grant {
	made := &grant{provider: p, membership: m, entry: entry, covered: approvedOf(entry.Credential), approved: entry.Credential.Granted()}
	for _, each := range known {
		each.mu.Lock()
		id := each.entry.Credential.GrantID
		isSameGrant := id == entry.Credential.GrantID
		isSame := isSameGrant && isSameToken(each.entry, entry)
		if isSame {
			each.entry = entry
		} else if isSameGrant && id != "" && each.covered != nil {
			made.covered = each.covered
		}
		each.mu.Unlock()
		if isSame {
			return each
		}
	}
	made.admission = admission.New(m.lifetime, tool.Wrap(made, made.read, nil, nil), m.connectAgain(entry), made.learn)
	return made
}

func (m *Membership) grants() []*grant {
	var grants []*grant
	for _, each := range m.providers {
		grants = append(grants, each.grants...)
	}
	return grants
}

// shareSecrets makes every read redact the secrets of all grants (R-ERR-6).
func (m *Membership) shareSecrets() {
	var bearers []string
	for _, each := range m.grants() {
		stored := each.stored().Credential
		bearers = append(bearers, stored.AccessToken.Reveal(), stored.RefreshToken.Reveal())
	}
	m.secrets.Store(rs.NewSecrets(bearers...))
}

// namesOf returns the names that select grants of a provider: with several providers, those that it has, or all if it
// has none.
func (m *Membership) namesOf(p *provider) []string {
	stored, _ := m.options.Cache.Grants(p.url) // load records the error
	if own := credential.Named(stored, m.names); len(m.providers) > 1 && len(own) > 0 {
		return own
	}
	return m.names
}
