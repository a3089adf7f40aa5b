/** Checks of diagnostics: each selects its findings. */
import type { DiagnosticItem } from "@freehold/contract/trust/diagnostics";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { OwnedProperty, Vendor } from "@freehold/proto/portfolio/v1/portfolio";
import type { Chart } from "../../chart/categories.ts";
import type { BankAccount } from "../bank-accounts/bank-account.entity.ts";

/** Records and settings that checks need, read once for all of them. */
export interface CheckContext {
  day: string;
  timezone: string;
  chart: Chart;
  accounts: Pick<BankAccount, "id" | "name" | "categoryId" | "accountType" | "isActive">[];
  properties: OwnedProperty[];
  vendors: Vendor[];
}

/** Selects the findings of a check. */
export type Check = (db: StatementRunner, context: CheckContext) => RawBuilder<DiagnosticItem>;

interface Columns {
  entityType: DiagnosticItem["entityType"];
  entityId: RawBuilder<unknown>;
  name: RawBuilder<unknown>;
  propertyId?: RawBuilder<unknown>;
  bankAccountId?: RawBuilder<unknown>;
  date?: RawBuilder<unknown>;
  amountCents?: RawBuilder<unknown>;
}

/** Returns the columns of a finding. */
export const finding = ({ entityType, entityId, name, propertyId, bankAccountId, date, amountCents }: Columns): RawBuilder<unknown> =>
  sql`${sql.lit(entityType)} as entity_type, ${entityId} as entity_id, ${name} as name, ${propertyId ?? sql`null`}::uuid as property_id,
    ${bankAccountId ?? sql`null`}::uuid as bank_account_id, ${date ?? sql`null`}::date as date, ${amountCents ?? sql`null`}::bigint as amount_cents`;
