package main

import (
	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/host"
)

func newStdioCommand(terminal terminal, logging *logging) *cobra.Command {
	var provider provider
	var serverName string
	command := &cobra.Command{
		Use:   "stdio",
		Short: "Serve MCP over standard input and output with the cached scoped credential",
		Args:  noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			raiseGCPercent(stdioGCPercent)
			logger := logging.logger()
			reader, err := provider.reader(logger)
			if err != nil {
				return err
			}
			options := host.Options{Name: serverName, Version: buildVersion(), Logger: logger}
			streams := host.Streams{In: terminal.in, Out: terminal.out}
			return host.ServeStdio(command.Context(), gen.Surface(), options, reader, streams)
		},
	}
	provider.addFlags(command.Flags())
	command.Flags().StringVar(&serverName, "server-name", "pdpp-mcp", "name that the server tells its clients")
	readsVariable(command.Flags(), "server-name", "PDPP_MCP_SERVER_NAME")
	return command
}
