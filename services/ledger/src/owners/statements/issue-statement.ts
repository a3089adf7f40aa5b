/** Issue of statements to owners: the event that their delivery follows. */
import type { EventData } from "@freehold/contract/events";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { now } from "@freehold/kit/time/clock";
import type { Owner } from "@freehold/proto/portfolio/v1/portfolio";
import type { OwnerStatement } from "./owner-statement.entity.ts";

type Delivery = EventData<"owner_statement.issued">["delivery"];

const publish = eventPublisher("ledger");

/** Returns the delivery that the office has set for an owner; `none` for a deleted one. */
export const configuredDelivery = ({ isDeleted, statementDeliver }: Owner): Delivery =>
  isDeleted || (statementDeliver !== "email" && statementDeliver !== "portal") ? "none" : statementDeliver;

/** Publishes that a statement was issued. In the portal that is its sending, so `sentAt` is set; the handler of the event sends the e-mail. */
export async function issueStatement(tx: OrgTx, statement: OwnerStatement, delivery: Delivery): Promise<void> {
  if (delivery === "portal" && !statement.sentAt) tx.assign(statement, { sentAt: now() });
  const { id, ownerId } = statement;
  await publish(tx, "owner_statement.issued", { entityId: id, data: { ownerId, delivery }, audience: { ownerIds: [ownerId] } });
}
