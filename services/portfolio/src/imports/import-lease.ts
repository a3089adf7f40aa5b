/** Import of a lease that is a draft, pending or active. */
import type { importedRecords } from "@freehold/contract/imports/imported-records";
import type { BodyOf } from "@freehold/contract/operation";
import type { BatchWriter } from "@freehold/kit/db/batches/batch-write";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { batchTransaction } from "@freehold/kit/db/transaction";
import type { Clients } from "../clients.ts";
import { fetchLeaseBalances, startImportedBilling } from "../leases/lease-billing.ts";
import { resolveOccupants } from "../leases/lease.rules.ts";
import { type ImportedLease, insertContinuedLeases } from "./insert-continued-leases.ts";

type Body = BodyOf<typeof importedRecords.operations.importLease>;

/** Inserts a lease, and the leases of a batch at once. A lease that continues the one before it of its tenant is its renewal. The ledger starts to bill an activated one after the commit. */
export async function importLease(
  db: OrgDb,
  clients: Clients,
  { continuedTenantIds = [], continuedLeaseIds = [], ...input }: Body,
): Promise<{ recordId: string }> {
  const occupants = resolveOccupants(input);
  // While the ledger, which bills the lease, is unavailable, this call throws 503 before anything is written.
  if (input.activate) await fetchLeaseBalances(db, clients, []);
  const committed = batchTransaction(db, insertImportedLeases, { input, occupants, continuedTenantIds, continuedLeaseIds });
  if (!input.activate) return committed;
  return completeAfterCommit(committed, async (response) => {
    await startImportedBilling(db, clients, response.recordId);
    return response;
  });
}

const insertImportedLeases: BatchWriter<ImportedLease, { recordId: string }> = async (tx, newLeases) =>
  (await insertContinuedLeases(tx, newLeases)).map((recordId) => ({ recordId }));
