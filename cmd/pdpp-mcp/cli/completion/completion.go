// Package completion completes names in a shell: commands, tools, flags, streams, connections and fields. It may ask providers for names, but
// prints no errors and offers only names that are safe on a command line.
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

// Add adds completions of flag values to root and all its commands. Values without a completion offer nothing, not even file names.
func Add(root *cobra.Command) {
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	completeFlags(root)
}

func completeFlags(command *cobra.Command) {
	command.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		if offer := offerFor(flag); offer != nil {
			_ = command.RegisterFlagCompletionFunc(flag.Name, offer) // fails only for a registered flag
			if value, ok := flag.Value.(*invocation.ArgumentValue); ok && value.Argument.Positional {
				command.ValidArgsFunction = firstOnly(offer)
			}
		}
	})
	if takesProvider(command) {
		command.ValidArgsFunction = firstOnly(providers)
	}
	for _, child := range command.Commands() {
		completeFlags(child)
	}
}

func takesProvider(command *cobra.Command) bool {
	return strings.Contains(command.Use, "<provider-url>")
}

// firstOnly offers nothing after the first word.
func firstOnly(offer cobra.CompletionFunc) cobra.CompletionFunc {
	return func(command *cobra.Command, passed []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(passed) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return offer(command, passed, typed)
	}
}

// offerFor returns the completion of a flag, or nil for none.
func offerFor(flag *pflag.Flag) cobra.CompletionFunc {
	switch value := flag.Value.(type) {
	case *invocation.ArgumentValue:
		return offerForArgument(value.Argument)
	case *invocation.Choice:
		return oneOf(value.Words)
	}
	switch name := flag.Name; {
	case name == "provider-url":
		return providers
	case name == "grant-id":
		return grants
	case name == "cache-root":
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	case name == "output", strings.HasSuffix(name, "-file"):
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
	}
	return nil
}

// offerForArgument returns the completion of an argument: the values of its enum, or granted names.
func offerForArgument(argument tool.Argument) cobra.CompletionFunc {
	var names func(*cobra.Command) []string
	switch {
	case argument.Values != nil:
		return oneOf(argument.Values)
	case argument.Complete == tool.CompleteStream:
		names = streams
	case argument.Complete == tool.CompleteConnection:
		names = connections
	case argument.Complete == tool.CompleteField, argument.Type == tool.FilterArgument:
		names = fields
	default:
		return nil
	}
	return func(command *cobra.Command, passed []string, typed string) ([]string, cobra.ShellCompDirective) {
		setPositional(command, passed)
		offered, directive := names(command), cobra.ShellCompDirectiveNoFileComp
		switch argument.Type {
		case tool.StringListArgument: // completes the last name of the list
			list := typed[:strings.LastIndexByte(typed, ',')+1]
			offered = slices.DeleteFunc(offered, func(name string) bool { return slices.Contains(strings.Split(list, ","), name) })
			for i := range offered {
				offered[i] = list + offered[i]
			}
		case tool.FilterArgument:
			directive |= cobra.ShellCompDirectiveNoSpace
			for i := range offered {
				offered[i] += "="
			}
		}
		return withPrefix(offered, typed), directive
	}
}

func setPositional(command *cobra.Command, passed []string) {
	command.Flags().VisitAll(func(flag *pflag.Flag) {
		value, ok := flag.Value.(*invocation.ArgumentValue)
		if ok && value.Argument.Positional && value.Text() == "" && len(passed) > 0 {
			_ = value.Set(passed[0]) // an invalid word completes nothing
		}
	})
}

func oneOf(values []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return withPrefix(slices.Clone(values), typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// Deadline bounds how long a shell waits for a provider. Tests raise it for busy machines.
var Deadline = 2 * time.Second

// ask sends a question to every grant that the command line would use, and joins the answers. Completion prints no errors.
func ask[S ~[]E, E any](command *cobra.Command, question func(context.Context, *invocation.Provider) (S, error)) S {
	if err := invocation.Fill(command); err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(command.Context(), Deadline)
	defer cancel()
	sources := sourcesOf(command.Flags())
	used := []*invocation.Provider{&sources.Provider}
	if sources.ReadsEvery {
		used, _ = sources.Each(slog.New(slog.DiscardHandler))
	}
	answers := make([]S, len(used))
	var asking sync.WaitGroup
	for i, provider := range used {
		asking.Go(func() {
			if answer, err := question(ctx, provider); err == nil {
				answers[i] = answer
			}
		})
	}
	asking.Wait()
	return slices.Concat(answers...)
}

// sourcesOf reads the flags of an unfinished command line.
func sourcesOf(flags *pflag.FlagSet) *invocation.Sources {
	text := func(name string) string {
		value, _ := flags.GetString(name) // empty for a flag that the command does not have
		return value
	}
	chosen, _ := flags.GetStringArray("grant-id")
	urls, err := flags.GetStringSlice("provider-url")
	isAllowed, _ := flags.GetBool(invocation.AllowPlainHTTP)
	return &invocation.Sources{
		Provider: invocation.Provider{
			URL: text("provider-url"), CacheRoot: text("cache-root"), Grants: chosen,
			AccessTokenFile: text("access-token-file"), ClearText: invocation.ClearText{Allowed: isAllowed},
		},
		URLs: urls, ReadsEvery: err == nil,
	}
}

// passedFor returns the value of the argument that takes a name of this kind, or an empty string.
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

func streams(command *cobra.Command) []string {
	names := schemadoc.Names(ask(command, grantedNames))
	return slices.DeleteFunc(names.Streams(passedFor(command, tool.CompleteConnection)), func(name string) bool { return !isCompletable(name) })
}

func connections(command *cobra.Command) []string {
	names := schemadoc.Names(ask(command, grantedNames))
	var offered []string
	for _, connection := range names.Connections(passedFor(command, tool.CompleteStream)) {
		if isCompletable(connection.ID) {
			offered = append(offered, cobra.CompletionWithDesc(connection.ID, invocation.OneLine(connection.Label)))
		}
	}
	return offered
}

func fields(command *cobra.Command) []string {
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

func providers(command *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	var offered []string
	for _, entry := range cachedEntries(command) {
		offered = append(offered, entry.ProviderURL)
	}
	slices.Sort(offered)
	return withPrefix(slices.Compact(offered), typed), cobra.ShellCompDirectiveNoFileComp
}

// grants offers the cached grants of the providers that the command line names, or of all providers.
func grants(command *cobra.Command, passed []string, typed string) ([]string, cobra.ShellCompDirective) {
	entries := cachedEntries(command) // first, because it sets flags from variables
	sources := sourcesOf(command.Flags())
	named := append(sources.URLs, sources.URL)
	if takesProvider(command) {
		named = append(named, passed...)
	}
	isAny := strings.Join(named, "") == ""
	var offered []string
	for _, entry := range entries {
		isNamed := slices.ContainsFunc(named, func(url string) bool {
			address, err := credential.ParseProviderURL(url)
			return err == nil && address == entry.ProviderURL
		})
		if (isAny || isNamed) && isCompletable(entry.Credential.GrantID) {
			offered = append(offered, cobra.CompletionWithDesc(entry.Credential.GrantID, invocation.OneLine(entry.Credential.Label)))
		}
	}
	return withPrefix(offered, typed), cobra.ShellCompDirectiveNoFileComp
}

func cachedEntries(command *cobra.Command) (entries []*credential.Entry) {
	if err := invocation.Fill(command); err != nil {
		return nil
	}
	cache, err := invocation.OpenCache(sourcesOf(command.Flags()).CacheRoot, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil
	}
	files, _ := cache.List()
	for _, file := range files {
		entries = append(entries, file.Grants...)
	}
	return entries
}

// withPrefix keeps the words that begin with the typed text, because some shells do not filter.
func withPrefix(offered []string, typed string) []string {
	return slices.DeleteFunc(offered, func(word string) bool { return !strings.HasPrefix(word, typed) })
}
