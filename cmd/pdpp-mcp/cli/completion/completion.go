// Package completion lets a shell complete names on a command line: of commands, tools, flags, streams, connections and fields.
package completion

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Add adds completions of flag values to root, which has all commands. A value without a completion offers nothing, not even
// the names of files.
func Add(root *cobra.Command) {
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	completeFlags(root)
}

func completeFlags(command *cobra.Command) {
	command.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		if offer := offerFor(command, flag); offer != nil {
			// It fails only for an unknown or a registered flag.
			_ = command.RegisterFlagCompletionFunc(flag.Name, offer)
			if value, ok := flag.Value.(*invocation.ArgumentValue); ok && value.Argument.Positional {
				command.ValidArgsFunction = firstOnly(offer)
			}
		}
	})
	if takesProvider(command) {
		command.ValidArgsFunction = firstOnly(knownProviders)
	}
	for _, below := range command.Commands() {
		completeFlags(below)
	}
}

func takesProvider(command *cobra.Command) bool {
	return strings.Contains(command.Use, "<provider-url>")
}

// firstOnly offers nothing after the first word.
func firstOnly(offer cobra.CompletionFunc) cobra.CompletionFunc {
	return func(command *cobra.Command, passed []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(passed) > 0 {
			return nothing(command, passed, begun)
		}
		return offer(command, passed, begun)
	}
}

// offerFor returns the completion of a flag, or nil for the default, which offers nothing.
func offerFor(command *cobra.Command, flag *pflag.Flag) cobra.CompletionFunc {
	if value, ok := flag.Value.(*invocation.ArgumentValue); ok {
		return offerForArgument(value.Argument)
	}
	if choice, ok := flag.Value.(*invocation.Choice); ok {
		return oneOf(choice.Words)
	}
	switch name := flag.Name; {
	case name == "provider-url":
		return knownProviders
	case name == "grant-id":
		return knownGrants
	case name == "cache-root":
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	case name == "output", strings.HasSuffix(name, "-file"):
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
	}
	return nil
}

// offerForArgument returns the completion of an argument: its enum, or names of the grant as its spec says.
func offerForArgument(argument tool.Argument) cobra.CompletionFunc {
	var names func(*cobra.Command) []string
	switch {
	case argument.Values != nil:
		return oneOf(argument.Values)
	case argument.Complete == tool.CompleteStream:
		names = grantedStreams
	case argument.Complete == tool.CompleteConnection:
		names = grantedConnections
	case argument.Complete == tool.CompleteField, argument.Type == tool.FilterArgument:
		names = grantedFields
	default:
		return nil
	}
	return func(command *cobra.Command, passed []string, begun string) ([]string, cobra.ShellCompDirective) {
		setPositional(command, passed)
		offered := names(command)
		switch argument.Type {
		case tool.StringListArgument:
			return lastOfList(offered, begun), cobra.ShellCompDirectiveNoFileComp
		case tool.FilterArgument:
			for i := range offered {
				offered[i] += "="
			}
			return withPrefix(offered, begun), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}
		return withPrefix(offered, begun), cobra.ShellCompDirectiveNoFileComp
	}
}

// setPositional sets the argument that needs no flag to the first word that was passed.
func setPositional(command *cobra.Command, passed []string) {
	command.Flags().VisitAll(func(flag *pflag.Flag) {
		value, ok := flag.Value.(*invocation.ArgumentValue)
		if ok && value.Argument.Positional && value.Text() == "" && len(passed) > 0 {
			_ = value.Set(passed[0]) // a wrong one completes nothing
		}
	})
}

// lastOfList completes the last name of a comma-separated list.
func lastOfList(names []string, begun string) []string {
	before := begun[:strings.LastIndexByte(begun, ',')+1]
	var offered []string
	for _, name := range names {
		if !slices.Contains(strings.Split(before, ","), name) {
			offered = append(offered, before+name)
		}
	}
	return withPrefix(offered, begun)
}

func oneOf(values []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		return withPrefix(slices.Clone(values), begun), cobra.ShellCompDirectiveNoFileComp
	}
}

func nothing(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// Deadline bounds how long a shell waits for a provider. Tests raise it for busy machines.
var Deadline = 2 * time.Second

// ask asks every grant that the command line would use, concurrently, and joins the answers. A grant that fails has no answer,
// because completion prints no messages.
func ask[S ~[]E, E any](command *cobra.Command, question func(context.Context, *invocation.Provider) (S, error)) S {
	if err := invocation.Fill(command); err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(command.Context(), Deadline)
	defer cancel()
	grants := grantsOf(command.Flags())
	answers := make([]S, len(grants))
	var asking sync.WaitGroup
	for i, each := range grants {
		asking.Go(func() {
			if answer, err := question(ctx, each); err == nil {
				answers[i] = answer
			}
		})
	}
	asking.Wait()
	return slices.Concat(answers...)
}

// grantsOf returns the grants that a command with these flags would use.
func grantsOf(flags *pflag.FlagSet) []*invocation.Provider {
	sources := sourcesOf(flags)
	if !sources.ReadsEvery {
		return []*invocation.Provider{&sources.Provider}
	}
	grants, _ := sources.Each(slog.New(slog.DiscardHandler))
	return grants
}

// sourcesOf reads the flags of an unfinished command line. Absent flags keep their defaults.
func sourcesOf(flags *pflag.FlagSet) *invocation.Sources {
	text := func(name string) string {
		value, err := flags.GetString(name)
		if err != nil {
			return ""
		}
		return value
	}
	grants, _ := flags.GetStringArray("grant-id")
	several, err := flags.GetStringSlice("provider-url")
	allowed, _ := flags.GetBool(invocation.AllowPlainHTTP)
	return &invocation.Sources{
		Provider: invocation.Provider{
			URL: text("provider-url"), CacheRoot: text("cache-root"), Grants: grants,
			AccessTokenFile: text("access-token-file"), ClearText: invocation.ClearText{Allowed: allowed},
		},
		URLs: several, ReadsEvery: err == nil,
	}
}

// passedFor returns the value on the command line of the argument that takes one name of this kind, or an empty string.
func passedFor(command *cobra.Command, kind tool.Completion) string {
	passed := ""
	command.Flags().VisitAll(func(flag *pflag.Flag) {
		value, ok := flag.Value.(*invocation.ArgumentValue)
		if ok && value.Argument.Complete == kind {
			passed += value.Text()
		}
	})
	return passed
}

func grantedStreams(command *cobra.Command) []string {
	names := schemadoc.Names(ask(command, namesOfGrant))
	return slices.DeleteFunc(names.Streams(passedFor(command, tool.CompleteConnection)), func(name string) bool { return !completable(name) })
}

func grantedConnections(command *cobra.Command) []string {
	names := schemadoc.Names(ask(command, namesOfGrant))
	var offered []string
	for _, connection := range names.Connections(passedFor(command, tool.CompleteStream)) {
		if completable(connection.ID) {
			offered = append(offered, cobra.CompletionWithDesc(connection.ID, invocation.OneLine(connection.Label)))
		}
	}
	return offered
}

// grantedFields returns the names of the fields of the stream on the command line, or none without a stream.
func grantedFields(command *cobra.Command) []string {
	stream := passedFor(command, tool.CompleteStream)
	if stream == "" {
		return nil
	}
	names := ask(command, func(ctx context.Context, provider *invocation.Provider) ([]string, error) {
		return fieldsOf(ctx, provider, stream, passedFor(command, tool.CompleteConnection))
	})
	slices.Sort(names)
	return slices.Compact(names)
}

// knownProviders offers the providers of the credential cache.
func knownProviders(command *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	var offered []string
	for _, entry := range cachedEntries(command) {
		offered = append(offered, entry.ProviderURL)
	}
	slices.Sort(offered)
	return withPrefix(slices.Compact(offered), begun), cobra.ShellCompDirectiveNoFileComp
}

// knownGrants offers the cached grants of the providers that the command line names, or all of them when it names none.
func knownGrants(command *cobra.Command, passed []string, begun string) ([]string, cobra.ShellCompDirective) {
	entries := cachedEntries(command) // sets flags from variables, too
	sources := sourcesOf(command.Flags())
	named := slices.DeleteFunc(append(sources.URLs, sources.URL), func(url string) bool { return url == "" })
	if takesProvider(command) {
		named = append(named, passed...)
	}
	var offered []string
	for _, entry := range entries {
		isWanted := len(named) == 0 || slices.ContainsFunc(named, func(url string) bool {
			wanted, err := credential.ParseProviderURL(url)
			return err == nil && wanted == entry.ProviderURL
		})
		if isWanted && completable(entry.Credential.GrantID) {
			offered = append(offered, cobra.CompletionWithDesc(entry.Credential.GrantID, invocation.OneLine(entry.Credential.Label)))
		}
	}
	return withPrefix(offered, begun), cobra.ShellCompDirectiveNoFileComp
}

func cachedEntries(command *cobra.Command) []*credential.Entry {
	if err := invocation.Fill(command); err != nil {
		return nil
	}
	cache, err := invocation.OpenCache(sourcesOf(command.Flags()).CacheRoot, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil
	}
	files, err := cache.List()
	if err != nil {
		return nil
	}
	var entries []*credential.Entry
	for _, file := range files {
		entries = append(entries, file.Grants...)
	}
	return entries
}

// withPrefix keeps the words that start with the typed text, because some shells do not filter.
func withPrefix(offered []string, begun string) []string {
	return slices.DeleteFunc(offered, func(each string) bool { return !strings.HasPrefix(each, begun) })
}
