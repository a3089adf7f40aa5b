/** Issue of statements to owners: the event that their delivery follows. */
import type { EventData } from "@freehold/contract/events";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { now } from "@freehold/kit/time/clock";
import type { Owner } from "@freehold/proto/portfolio/v1/portfolio";
import type { OwnerStatement } from "./owner-statement.entity.ts";

type Delivery = EventData<"owner_statement.issued">["delivery"];

const publish = eventPublisher("ledger");

/** Returns the delivery that an owner has agreed to. Nothing is delivered to a deleted owner. */
export const agreedDelivery = ({ isDeleted, statementDeliver }: Owner): Delivery =>
  isDeleted || (statementDeliver !== "email" && statementDeliver !== "portal") ? "none" : statementDeliver;

/** Publishes that a statement is delivered. One that is delivered in the portal is sent thereby; an e-mail follows the event. */
export async function issueStatement(tx: OrgTx, statement: OwnerStatement, delivery: Delivery): Promise<void> {
  if (delivery === "portal" && !statement.sentAt) tx.assign(statement, { sentAt: now() });
  await publish(tx, "owner_statement.issued", { entityId: statement.id, data: { ownerId: statement.ownerId, delivery } });
}
