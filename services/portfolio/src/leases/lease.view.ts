import type { Lease } from "@freehold/contract/leases";
import type { Cents } from "@freehold/contract/values";
import { withVersion } from "@freehold/kit/http/etag";
import type { LeaseBalance } from "@freehold/proto/ledger/v1/ledger";
import type { LeaseRow } from "./leases.queries.ts";

type Figures = Pick<Lease, "depositHeldCents" | "balanceCents" | "nextRentDueOn" | "overduePostedRentCents">;

/** A lease's figures as callers see them: null, or absent, while the ledger does not answer. */
export const figuresView = (money: LeaseBalance | undefined): Figures =>
  money
    ? {
        depositHeldCents: money.depositHeldCents as Cents,
        balanceCents: money.balanceCents as Cents,
        nextRentDueOn: money.nextRentDueOn ?? null,
        overduePostedRentCents: money.overdueRentCents as Cents,
      }
    : { depositHeldCents: null, balanceCents: null, nextRentDueOn: null };

/** A lease as callers see it. */
export const leaseView = ({ version, ...lease }: LeaseRow, money: LeaseBalance | undefined): Lease => withVersion({ ...lease, ...figuresView(money) }, version);
