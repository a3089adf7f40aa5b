import type { OwnerStatement as View } from "@freehold/contract/trust/owner-statements";
import { defineEntity, enumText, orgColumns, p, plainDate, inPortalReach } from "@freehold/kit/db/entity";
import type { StatementFigures } from "./owner-statement.rules.ts";

const OwnerStatementSchema = defineEntity({
  name: "OwnerStatement",
  tableName: "owner_statement",
  ...inPortalReach,
  indexes: [{ properties: ["organizationId", "ownerId", "periodEnd", "id"], name: "owner_statement_by_owner" }],
  properties: {
    ...orgColumns,
    ownerId: p.uuid(),
    organizationName: p.text(),
    ownerName: p.text(),
    periodStart: plainDate(),
    periodEnd: plainDate(),
    basis: enumText(["accrual", "cash"]),
    ledgerVersion: p.bigint("number"),
    figures: p.json().$type<StatementFigures>(),
    properties: p.json().$type<View["properties"]>(),
    sentAt: p.datetime(3).nullable(),
  },
});
/** Statement of an owner, as it was generated. */
export class OwnerStatement extends OwnerStatementSchema.class {}
OwnerStatementSchema.setClass(OwnerStatement);
