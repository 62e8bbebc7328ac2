package sandbox

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

// original is the sample data of one seed, and a store in memory that holds it and is never changed.
type original struct {
	set     catalog.Dataset
	records *store.Store
}

// originals caches loaded data by seed until the process ends: tests start many sandboxes, and copying a
// loaded store takes a fiftieth of the time of loading it.
var originals = struct {
	sync.Mutex
	bySeed map[uint64]original
}{bySeed: map[uint64]original{}}

// originalOf returns the original of a seed, and loads it the first time.
func originalOf(ctx context.Context, seed uint64) (original, error) {
	originals.Lock()
	defer originals.Unlock()
	if kept, ok := originals.bySeed[seed]; ok {
		return kept, nil
	}
	loaded := original{set: sample.Dataset(seed)}
	var err error
	if loaded.records, err = openLoaded(ctx, "", loaded.set); err != nil {
		return original{}, err
	}
	originals.bySeed[seed] = loaded
	return loaded, nil
}

// fill opens the store of a sandbox, with the sample data in it.
func fill(ctx context.Context, options Options) (catalog.Dataset, *store.Store, error) {
	if options.Data != nil || options.DataDir != "" {
		var set catalog.Dataset
		if options.Data != nil {
			set = *options.Data
		} else {
			set = sample.Dataset(options.Seed)
		}
		records, err := openLoaded(ctx, options.DataDir, set)
		return set, records, err
	}
	loaded, err := originalOf(ctx, options.Seed)
	if err != nil {
		return catalog.Dataset{}, nil, err
	}
	records, err := loaded.records.Copy(ctx)
	if err != nil {
		return catalog.Dataset{}, nil, fmt.Errorf("copy the sample data: %w", err)
	}
	return loaded.set, records, nil
}

func openLoaded(ctx context.Context, dir string, set catalog.Dataset) (*store.Store, error) {
	records, err := store.Open(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("open the sandbox's store: %w", err)
	}
	if err := records.Load(ctx, set); err != nil {
		return nil, errors.Join(fmt.Errorf("load the sample data: %w", err), records.Close())
	}
	return records, nil
}
