package main

import (
	"log/slog"

	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
)

func addCacheRoot(flags *pflag.FlagSet, cacheRoot *string) {
	flags.StringVar(cacheRoot, "cache-root", "", "directory of the credential cache (default .pdpp here if it exists, else ~/.pdpp)")
	readsVariable(flags, "cache-root", "PDPP_CACHE_ROOT")
}

func openCache(root string, logger *slog.Logger) (*credential.Cache, error) {
	if root == "" {
		var err error
		if root, err = credential.DefaultRoot(); err != nil {
			return nil, err
		}
	}
	return &credential.Cache{Root: root, Logger: logger}, nil
}
