// Package completion completes names in a shell: commands, tools, flags, streams, connections and fields. It may ask
// providers for names, but prints no errors and offers only names that are safe on a command line.
package completion

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Add adds completions of flag values to root and all its commands. Values without a completion offer nothing, not even
// file names.
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
	case name == "columns", name == invocation.FormJSON && flag.NoOptDefVal == "" && !invocation.IsArgument(flag):
		return completeNames(tool.StringListArgument, fields)
	case name == "by":
		return completeNames(tool.StringArgument, func(command *cobra.Command) []string { return append(fields(command), steps(command)...) })
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
	return completeNames(argument.Type, names)
}

// completeNames returns the completion of a value of some type that consists of names.
func completeNames(kind tool.ArgumentType, names func(*cobra.Command) []string) cobra.CompletionFunc {
	return func(command *cobra.Command, passed []string, typed string) ([]string, cobra.ShellCompDirective) {
		setPositional(command, passed)
		offered, directive := names(command), cobra.ShellCompDirectiveNoFileComp
		switch kind {
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

// steps returns the words that group by time.
func steps(command *cobra.Command) []string {
	if flag := command.Flags().Lookup("granularity"); flag != nil {
		if value, ok := flag.Value.(*invocation.ArgumentValue); ok {
			return value.Argument.Values
		}
	}
	return nil
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

// schemas reads a part of the schema with every grant that the command line would use. It leaves out failures, because
// completion prints no errors.
func schemas(command *cobra.Command, scope schemadoc.Scope) []*schemadoc.Document {
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
	documents := make([]*schemadoc.Document, len(used))
	var reading sync.WaitGroup
	for i, provider := range used {
		reading.Go(func() { documents[i] = readSchema(ctx, provider, scope) })
	}
	reading.Wait()
	return slices.DeleteFunc(documents, func(document *schemadoc.Document) bool { return document == nil })
}

// readSchema returns nil after a failure, and for a token that is not a client's.
func readSchema(ctx context.Context, provider *invocation.Provider, scope schemadoc.Scope) *schemadoc.Document {
	reader, err := provider.Reader(ctx, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil
	}
	response, err := reader.Get(ctx, schemaquery.Request(scope, false))
	if err != nil {
		return nil
	}
	if bearer, err := rs.SchemaBearer(response.Body()); err != nil || !bearer.IsClient() {
		return nil
	}
	document, err := schemaquery.Read(response)
	if err != nil {
		return nil
	}
	document.Keep(scope)
	return document
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

// grantedNames returns the names of the streams and connections that the grants cover.
func grantedNames(command *cobra.Command) (names schemadoc.Names) {
	for _, document := range schemas(command, schemadoc.Scope{}) {
		names = append(names, document.Names()...)
	}
	return names
}

func streams(command *cobra.Command) []string {
	return slices.DeleteFunc(grantedNames(command).Streams(passedFor(command, tool.CompleteConnection)), isUnsafe)
}

func connections(command *cobra.Command) (offered []string) {
	for _, connection := range grantedNames(command).Connections(passedFor(command, tool.CompleteStream)) {
		if !isUnsafe(connection.ID) {
			offered = append(offered, cobra.CompletionWithDesc(connection.ID, invocation.OneLine(connection.Label)))
		}
	}
	return offered
}

func fields(command *cobra.Command) (names []string) {
	stream := passedFor(command, tool.CompleteStream)
	if stream == "" {
		return nil
	}
	for _, document := range schemas(command, schemadoc.ScopeOf(stream, passedFor(command, tool.CompleteConnection))) {
		names = append(names, document.FieldNames()...)
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), isUnsafe)
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
		if (isAny || isNamed) && !isUnsafe(entry.Credential.GrantID) {
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

// isUnsafe reports whether a name, which providers choose, is unsafe on a command line: a shell would expand, split or
// run it.
func isUnsafe(name string) bool {
	return name == "" || name[0] == '-' || strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.:/@+", r)
	})
}
