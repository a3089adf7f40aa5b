/** Checks of the money of beneficiaries in bank accounts. */
import type { Diagnostic } from "@freehold/contract/trust/diagnostics";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { PREPAID_RENT } from "../../chart/chart.ts";
import { selectOwnerBalances } from "../../owners/ledgers/owner-ledger.queries.ts";
import { selectPropertyFigures } from "../../owners/ledgers/property-figures.queries.ts";
import { shareTerms } from "../../owners/ownership.rules.ts";
import { selectBookBalance } from "../bank-accounts/balances.ts";
import { selectSubLedgers } from "../bank-accounts/sub-ledgers.queries.ts";
import { finding, type Check, type CheckContext } from "./check.ts";

type Key = Extract<Diagnostic["key"], "negative_owner_ledger" | "negative_bank_balance" | "deposit_mismatch" | "prepaid_mismatch" | "reserve_not_met">;

export const beneficiaryChecks: Record<Key, Check> = {
  negative_owner_ledger: (db, context) => sql`
    with negative as materialized (select bank_account_id, kind, property_id, balance_cents from (${allSubLedgers(db, context)}) s
        where kind in ('owner', 'manager') and balance_cents < 0),
      short as (select * from negative where kind = 'owner')
    select ${finding({
      entityType: "property",
      entityId: sql`short.property_id`,
      name: sql`coalesce(p.name, 'Unknown')`,
      propertyId: sql`short.property_id`,
      bankAccountId: sql`short.bank_account_id`,
      amountCents: sql`short.balance_cents`,
    })} from short left join property_copy p on p.organization_id = ${db.organizationId} and p.id = short.property_id
    union all select ${finding({
      entityType: "bank_account",
      entityId: sql`a.id`,
      name: sql`a.name`,
      bankAccountId: sql`a.id`,
      amountCents: sql`negative.balance_cents`,
    })} from negative join bank_account a on a.organization_id = ${db.organizationId} and a.id = negative.bank_account_id where negative.kind = 'manager'
    union all select ${finding({
      entityType: "owner",
      entityId: sql`b.owner_id`,
      name: sql`coalesce(p.name, 'Unknown')`,
      propertyId: sql`b.property_id`,
      amountCents: sql`b.balance_cents`,
    })} from (${selectOwnerBalances(db, context.properties.flatMap(shareTerms), context.day)}) b
      left join property_copy p on p.organization_id = ${db.organizationId} and p.id = b.property_id
    where b.balance_cents < 0 and not exists (select from short where short.property_id = b.property_id)`,

  negative_bank_balance: (db, { accounts, day }) =>
    union(
      accounts.map(
        (account) => sql`select ${accountFinding(account, sql`book.book_cents`)} from (${selectBookBalance(db, account, day)}) book where book.book_cents < 0`,
      ),
    ),

  // The register of deposits must equal the balance of the accounts that hold them.
  deposit_mismatch: (db, context) => {
    const escrow = context.accounts.filter(({ accountType, isActive }) => accountType === "security_deposit" && isActive).map(({ id }) => id);
    return sql`
      with sub_ledger as (${allSubLedgers(db, context)})
      ${tenantsShort(db, sql`sub_ledger`, "deposit")}
      union all select ${finding({
        entityType: "bank_account",
        entityId: sql`a.id`,
        name: sql`a.name`,
        bankAccountId: sql`a.id`,
        amountCents: sql`s.cents`,
      })} from (select bank_account_id, sum(balance_cents) as cents from sub_ledger
          where (kind = 'deposit') <> (bank_account_id = any(${escrow}::uuid[])) and ${escrow.length > 0} group by 1 having sum(abs(balance_cents)) <> 0) s
        join bank_account a on a.organization_id = ${db.organizationId} and a.id = s.bank_account_id`;
  },

  prepaid_mismatch: (db, context) => sql`
    ${tenantsShort(db, sql`(${allSubLedgers(db, context)})`, "prepaid")}
    union all select ${finding({
      entityType: "tenant",
      entityId: sql`d.tenant_id`,
      name: sql`coalesce(t.full_name, 'Unknown')`,
      amountCents: sql`d.cents`,
    })} from (select tenant_id, sum(cents) as cents from (
          select coalesce(t.merged_into_id, l.tenant_id) as tenant_id, l.credit_cents - l.debit_cents as cents from journal_line l
            left join tenant_copy t on t.organization_id = l.organization_id and t.id = l.tenant_id
            where l.organization_id = ${db.organizationId} and l.account_id = ${context.chart.accountId(PREPAID_RENT)}
          union all select tenant_id, -unallocated_cents from payment where organization_id = ${db.organizationId} and unallocated_cents <> 0) part
        where tenant_id is not null group by 1 having sum(cents) <> 0) d
      left join tenant_copy t on t.organization_id = ${db.organizationId} and t.id = d.tenant_id`,

  reserve_not_met: (db, { accounts, properties, chart, day, timezone }) => {
    const trustAccounts = accounts.filter(({ accountType }) => accountType !== "business");
    const reserved = properties.flatMap(({ propertyId, propertyName, reserveCents: agreedCents = 0, additionalReserveCents = 0 }) => {
      const reserveCents = agreedCents + additionalReserveCents;
      return reserveCents > 0 ? [{ propertyId, propertyName, reserveCents }] : [];
    });
    const withoutEstimates = reserved.map(({ propertyId }) => ({ propertyId, heldEstimates: [] }));
    return sql`
      select ${finding({
        entityType: "property",
        entityId: sql`r."propertyId"`,
        name: sql`r."propertyName"`,
        propertyId: sql`r."propertyId"`,
        amountCents: sql`f.cash_cents - f.security_deposits_cents - f.prepaid_rent_cents - r."reserveCents"`,
      })} from jsonb_to_recordset(${JSON.stringify(reserved)}::jsonb) as r("propertyId" uuid, "propertyName" text, "reserveCents" bigint)
        join (${selectPropertyFigures(db, chart, trustAccounts, withoutEstimates, { asOf: day, timezone })}) f on f.property_id = r."propertyId"
      where f.cash_cents - f.security_deposits_cents - f.prepaid_rent_cents < r."reserveCents"`;
  },
};

/** Selects the tenants whose money of a kind is missing in a bank account. */
const tenantsShort = (db: StatementRunner, subLedgers: RawBuilder<unknown>, kind: "deposit" | "prepaid"): RawBuilder<unknown> => sql`
  select ${finding({
    entityType: "tenant",
    entityId: sql`s.tenant_id`,
    name: sql`coalesce(t.full_name, 'Unknown')`,
    propertyId: sql`s.property_id`,
    bankAccountId: sql`s.bank_account_id`,
    amountCents: sql`s.balance_cents`,
  })} from ${subLedgers} s left join tenant_copy t on t.organization_id = ${db.organizationId} and t.id = s.tenant_id
    where s.kind = ${kind} and s.balance_cents < 0 and s.tenant_id is not null`;

/** Selects the sub-ledgers of all trust accounts, with `bank_account_id`. */
const allSubLedgers = (db: StatementRunner, { accounts, chart, day }: CheckContext): RawBuilder<unknown> =>
  sql`select null::uuid as bank_account_id, null::text as kind, null::uuid as property_id, null::uuid as tenant_id, null::bigint as balance_cents where false
    ${sql.join(
      accounts.flatMap((account) =>
        account.accountType === "business"
          ? []
          : [sql` union all select ${account.id}::uuid, kind, property_id, tenant_id, balance_cents from (${selectSubLedgers(db, chart, account, day)}) s`],
      ),
      sql``,
    )}`;

const accountFinding = ({ id, name }: { id: string; name: string }, amountCents: RawBuilder<unknown>) =>
  finding({ entityType: "bank_account", entityId: sql`${id}::uuid`, name: sql`${name}::text`, bankAccountId: sql`${id}::uuid`, amountCents });

/** Joins the findings of bank accounts. */
const union = (selects: readonly RawBuilder<unknown>[]): RawBuilder<never> =>
  selects.length > 0
    ? sql`${sql.join([...selects], sql` union all `)}`
    : sql`select ${accountFinding({ id: "00000000-0000-0000-0000-000000000000", name: "" }, sql`0`)} where false`;
