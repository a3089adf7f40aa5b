import type { Lease } from "@freehold/contract/leases/leases";
import type { Cents } from "@freehold/contract/values";
import { withVersion } from "@freehold/kit/http/etag";
import type { LeaseBalance } from "@freehold/proto/ledger/v1/ledger";
import type { LeaseBalanceMember, LeaseRow } from "./leases.queries.ts";

/** Returns the members of a lease that the ledger owns: null, or absent, while the ledger is unavailable. */
export const leaseBalanceView = (balance: LeaseBalance | undefined): Pick<Lease, LeaseBalanceMember> =>
  balance
    ? {
        depositHeldCents: balance.depositHeldCents as Cents,
        balanceCents: balance.balanceCents as Cents,
        nextRentDueOn: balance.nextRentDueOn ?? null,
        overduePostedRentCents: balance.overdueRentCents as Cents,
      }
    : { depositHeldCents: null, balanceCents: null, nextRentDueOn: null };

/** Returns the API representation of a lease. */
export const leaseView = ({ version, ...lease }: LeaseRow, balance: LeaseBalance | undefined): Lease =>
  withVersion({ ...lease, ...leaseBalanceView(balance) }, version);
