/** gRPC clients of the services that portfolio calls. */
import { batchLoader } from "@freehold/kit/rpc/loader";
import { grpcClient } from "@freehold/kit/rpc/grpc";
import { optionalCalls } from "@freehold/kit/rpc/optional-calls";
import type { Assertions } from "@freehold/kit/auth/assertion";
import { CommunicationsServiceClient } from "@freehold/proto/communications/v1/communications";
import { IdentityServiceClient } from "@freehold/proto/identity/v1/identity";
import { LedgerServiceClient, type StartLeaseBillingRequest } from "@freehold/proto/ledger/v1/ledger";
import type { Lease } from "@freehold/proto/portfolio/v1/portfolio";

/**
 * Creates the clients. `callOptionally` waits for a response that may be missing at most `maxWaitMs`. `loadLeaseBalances`, `startLeaseBilling` and `startImportedBilling` batch the concurrent calls of one principal;
 * `loadLeaseBalances` may also return balances of leases that the other calls of the batch name.
 */
export const createClients = (addresses: { identity: string; ledger: string; communications: string }, assertions: Assertions, maxWaitMs: number) => {
  const ledger = grpcClient(LedgerServiceClient, addresses.ledger, assertions);
  return {
    identity: grpcClient(IdentityServiceClient, addresses.identity, assertions),
    ledger,
    communications: grpcClient(CommunicationsServiceClient, addresses.communications, assertions),
    callOptionally: optionalCalls(maxWaitMs),
    loadLeaseBalances: batchLoader(async (db, leaseIdLists: readonly string[][]) => {
      const { leases } = await ledger.getLeaseBalances(db, { leaseIds: leaseIdLists.flat() });
      return leaseIdLists.map(() => leases);
    }),
    startLeaseBilling: batchLoader(
      async (db, starts: readonly StartLeaseBillingRequest[]) => (await ledger.startLeaseBillings(db, { starts: [...starts] })).billings,
    ),
    startImportedBilling: batchLoader(async (db, leases: readonly Lease[]) => {
      const response = await ledger.startImportedBillings(db, { leases: [...leases] });
      return leases.map(() => response);
    }),
  };
};
export type Clients = ReturnType<typeof createClients>;
