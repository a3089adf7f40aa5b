/** Three-way proof of a bank account: the bank, the books and the beneficiaries on the same day. */
import type { ThreeWay } from "@freehold/contract/trust/reconciliations";
import { allWithCustomPlan, type StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { getChart } from "../../../chart/categories.ts";
import { selectOwnMovements, type OwnMovementRow } from "../../../owners/ledgers/money-in-account.queries.ts";
import { divideByOwner } from "../../../owners/ledgers/money-in-account.rules.ts";
import { selectBookBalance } from "../../bank-accounts/balances.ts";
import type { BankAccount } from "../../bank-accounts/bank-account.entity.ts";
import { selectSubLedgers, type Beneficiary } from "../../bank-accounts/sub-ledgers.queries.ts";
import { beneficiaryAt, isTenantMoney } from "../../bank-accounts/trust-funds.rules.ts";
import type { ProofOwners } from "./proof-owners.ts";
import { selectDraftItems, type DraftScope } from "../reconciliation-items.queries.ts";
import { threeWayProof } from "../reconciliation.rules.ts";

type Account = Pick<BankAccount, "id" | "categoryId" | "accountType">;
type BeneficiaryRow = Beneficiary & { propertyName: string | null; tenantName: string | null; balanceCents: number };

interface ProofRow {
  depositsInTransitCents: number;
  outstandingChecksCents: number;
  bookCents: number;
  beneficiaries: BeneficiaryRow[];
  ownMovements: OwnMovementRow[];
}

const kinds: readonly Beneficiary["kind"][] = ["owner", "deposit", "prepaid", "manager"];

/** Draft to prove, with what its proof needs besides the books. */
export interface DraftToProve {
  account: Account;
  scope: DraftScope;
  statementEndingBalanceCents: number;
  owners: ProofOwners;
}

/** Returns the proof of a draft as of now. */
export const readThreeWay = (db: StatementRunner, draft: DraftToProve): Promise<ThreeWay> =>
  proveThreeWay(db, draft, sql`select cents from (${selectDraftItems(db, draft.account, draft.scope)}) item where not is_cleared`);

/**
 * Stores the transactions that a draft leaves outstanding, and returns its proof. One statement reads the transactions, the books and
 * the beneficiaries, so that an entry that commits meanwhile is in all of them or in none.
 */
export const storeOutstanding = (db: StatementRunner, draft: DraftToProve): Promise<ThreeWay> =>
  proveThreeWay(
    db,
    draft,
    sql`insert into reconciliation_item (organization_id, reconciliation_id, entry_id, bank_account_id, entry_date, amount_cents, is_cleared)
      select ${db.organizationId}, ${draft.scope.id}::uuid, entry_id, ${draft.account.id}::uuid, entry_date, cents, false
      from (${selectDraftItems(db, draft.account, draft.scope)}) item where not is_cleared
      returning amount_cents as cents`,
  );

/** Returns the proof, with the outstanding amounts as `cents` from `uncleared`. */
async function proveThreeWay(
  db: StatementRunner,
  { account, scope: { statementEndDate: day }, statementEndingBalanceCents, owners }: DraftToProve,
  uncleared: RawBuilder<unknown>,
): Promise<ThreeWay> {
  const chart = await getChart(db);
  const { shared } = owners;
  const ownMovements = sql`(select coalesce(jsonb_agg(jsonb_build_object('propertyId', o.property_id, 'segment', o.segment, 'day', o.day, 'ownerId', o.owner_id,
      'place', o.place, 'cents', o.cents, 'moves', o.moves)), '[]')
    from (${selectOwnMovements(db, chart, [account], shared, { to: day })}) o)`;
  const query = sql<ProofRow>`with uncleared as (${uncleared})
    select coalesce(sum(cents) filter (where cents > 0), 0)::bigint as deposits_in_transit_cents, coalesce(-sum(cents) filter (where cents < 0), 0)::bigint as outstanding_checks_cents,
      (select book_cents from (${selectBookBalance(db, account, day)}) book) as book_cents,
      (select coalesce(jsonb_agg(jsonb_build_object('kind', s.kind, 'propertyId', s.property_id, 'tenantId', s.tenant_id, 'propertyName', p.name, 'tenantName', t.full_name,
          'balanceCents', s.balance_cents)), '[]') from (${selectSubLedgers(db, chart, account, day)}) s
        left join property_copy p on p.organization_id = ${db.organizationId} and p.id = s.property_id
        left join tenant_copy t on t.organization_id = ${db.organizationId} and t.id = s.tenant_id) as beneficiaries,
      ${shared.length === 0 ? sql`'[]'::jsonb` : ownMovements} as own_movements
    from uncleared`;
  const [row] = shared.length === 0 ? await db.all(query) : await allWithCustomPlan(db, query);
  const { beneficiaries, ownMovements: movements, ...figures } = row!;
  const emptyRow = ({ propertyId, propertyName }: ProofOwners["shared"][number]): BeneficiaryRow => ({
    ...beneficiaryAt(propertyId),
    propertyName,
    tenantName: null,
    balanceCents: 0,
  });
  const divided = divideByOwner(beneficiaries, owners, movements, emptyRow);
  const byBeneficiary = divided.map((each) => beneficiaryView(each, owners)).toSorted(byKindAndName);
  return threeWayProof({ ...figures, statementEndingBalanceCents, byBeneficiary }, account.accountType === "business");
}

type BeneficiaryView = ThreeWay["byBeneficiary"][number];

type OwnedRow = BeneficiaryRow & { ownerId: string | null };

function beneficiaryView({ kind, propertyId, tenantId, ownerId, propertyName, tenantName, balanceCents }: OwnedRow, { names }: ProofOwners): BeneficiaryView {
  const isOfTenant = isTenantMoney({ kind, propertyId, tenantId });
  const ownerName = ownerId === null ? undefined : names.get(ownerId);
  const name = (isOfTenant ? tenantName : kind === "owner" ? (ownerName ?? propertyName) : "Management company") ?? "Unknown";
  return { kind, id: isOfTenant ? tenantId : ownerName === undefined ? propertyId : ownerId, propertyId, propertyName, name, balanceCents } as BeneficiaryView;
}

const byKindAndName = (one: BeneficiaryView, other: BeneficiaryView): number =>
  kinds.indexOf(one.kind) - kinds.indexOf(other.kind) || (`${one.name} ${one.id} ${one.propertyId}` < `${other.name} ${other.id} ${other.propertyId}` ? -1 : 1);
