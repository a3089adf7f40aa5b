/** The services that portfolio asks. */
import { gathered } from "@freehold/kit/gathered";
import { asker } from "@freehold/kit/grpc";
import type { Seals } from "@freehold/kit/scope";
import { CommunicationsServiceClient } from "@freehold/proto/communications/v1/communications";
import { IdentityServiceClient } from "@freehold/proto/identity/v1/identity";
import { LedgerServiceClient, type StartLeaseBillingRequest } from "@freehold/proto/ledger/v1/ledger";

export const clients = (addresses: { identity: string; ledger: string; communications: string }, seals: Seals) => {
  const ledger = asker(LedgerServiceClient, addresses.ledger, seals);
  return {
    identity: asker(IdentityServiceClient, addresses.identity, seals),
    ledger,
    communications: asker(CommunicationsServiceClient, addresses.communications, seals),
    /** What is asked about every lease of many that come at once. */
    leaseMoney: gathered(async (db, leaseIds: readonly string[][]) => {
      const { leases } = await ledger.getLeaseMoney(db, { leaseIds: leaseIds.flat() });
      return leaseIds.map(() => leases);
    }),
    startLeaseBilling: gathered(
      async (db, starts: readonly StartLeaseBillingRequest[]) => (await ledger.startLeaseBillings(db, { starts: [...starts] })).billings,
    ),
  };
};
export type Clients = ReturnType<typeof clients>;
