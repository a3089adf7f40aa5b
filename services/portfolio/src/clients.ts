/** The services that portfolio asks. */
import { batchLoader } from "@freehold/kit/rpc/loader";
import { grpcClient } from "@freehold/kit/rpc/grpc";
import type { Assertions } from "@freehold/kit/auth/assertion";
import { CommunicationsServiceClient } from "@freehold/proto/communications/v1/communications";
import { IdentityServiceClient } from "@freehold/proto/identity/v1/identity";
import { LedgerServiceClient, type StartLeaseBillingRequest } from "@freehold/proto/ledger/v1/ledger";

export const clients = (addresses: { identity: string; ledger: string; communications: string }, assertions: Assertions) => {
  const ledger = grpcClient(LedgerServiceClient, addresses.ledger, assertions);
  return {
    identity: grpcClient(IdentityServiceClient, addresses.identity, assertions),
    ledger,
    communications: grpcClient(CommunicationsServiceClient, addresses.communications, assertions),
    /** What is asked about every lease of many that come at once. */
    leaseBalances: batchLoader(async (db, leaseIds: readonly string[][]) => {
      const { leases } = await ledger.getLeaseBalances(db, { leaseIds: leaseIds.flat() });
      return leaseIds.map(() => leases);
    }),
    startLeaseBilling: batchLoader(
      async (db, starts: readonly StartLeaseBillingRequest[]) => (await ledger.startLeaseBillings(db, { starts: [...starts] })).billings,
    ),
  };
};
export type Clients = ReturnType<typeof clients>;
