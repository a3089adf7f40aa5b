import DataLoader from "dataloader";
import type { Principal } from "../auth/principal.ts";
import type { OrgDb } from "../db/org-db.ts";

/**
 * Batches the calls that one principal makes in the same tick into one call of `loadAll`, which returns results in key
 * order. When the batch fails, each key is loaded on its own, so one bad key does not fail the others. Nothing is cached.
 */
export function batchLoader<Key, Result>(loadAll: (db: OrgDb, keys: readonly Key[]) => Promise<readonly Result[]>): (db: OrgDb, key: Key) => Promise<Result> {
  type Call = { db: OrgDb; key: Key };
  const loaders = new WeakMap<Principal, DataLoader<Call, Result>>();

  const loadEach = (calls: readonly Call[]) =>
    Promise.all(
      calls.map(({ db, key }) =>
        loadAll(db, [key]).then(
          ([result]) => result!,
          (error: unknown) => error as Error,
        ),
      ),
    );
  const loadBatch = (calls: readonly Call[]) =>
    calls.length === 1
      ? loadEach(calls)
      : loadAll(
          calls[0]!.db,
          calls.map(({ key }) => key),
        ).catch(() => loadEach(calls));

  return (db, key) => {
    let loader = loaders.get(db.principal);
    if (!loader) loaders.set(db.principal, (loader = new DataLoader<Call, Result>(loadBatch, { cache: false, batchScheduleFn: setImmediate })));
    return loader.load({ db, key });
  };
}
