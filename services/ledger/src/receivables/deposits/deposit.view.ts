/** Select list and API representation of a deposit. */
import type { Deposit as View } from "@freehold/contract/ledger/deposits";
import { sql } from "@freehold/kit/db/statement";
import { withVersion } from "@freehold/kit/http/etag";

export type DepositRow = View & { version: number };

export const depositColumns = sql`d.id, d.organization_id, coalesce(d.trust_bank_account_id, d.bank_account_id) as bank_account_id, d.deposited_on, d.amount_cents, d.status, d.entry_id as journal_entry_id, d.created_at, d.updated_at,
  d.voided_at, d.void_reason, d.version,
  (select json_agg(json_build_object('paymentId', p.id, 'tenantName', t.full_name, 'amountCents', p.amount_cents, 'paymentMethod', p.payment_method, 'checkNumber', p.check_number,
      'receivedAt', to_char(p.received_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by p.received_at, p.id)
    from bank_deposit_payment m join payment p on p.organization_id = m.organization_id and p.id = m.payment_id
      left join tenant_copy t on t.organization_id = p.organization_id and t.id = p.tenant_id
    where m.organization_id = d.organization_id and m.deposit_id = d.id) as payments`;

/** Returns the API representation of a deposit, with its payments. */
export const depositView = ({ version, ...row }: DepositRow): View => withVersion({ ...row }, version);
