import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

const sources = [
  "manual",
  "charge",
  "payment",
  "allocation",
  "credit",
  "refund",
  "deposit",
  "bank_fee",
  "opening_balance",
  "transfer",
  "adjustment",
  "reversal",
];

const voidColumns = `
      voided_at timestamptz(3),
      void_reason text`;

/** Bank accounts of an organization, transfers between them, and fees and interest of the bank. Deposits and refunds name their bank account. */
export class BankAccounts extends Migration {
  override up(): void {
    this.addSql(`create table bank_account (${orgColumnsSql},
      category_id uuid not null,
      owner_id uuid,
      name text not null,
      institution_name text not null,
      account_mask text not null,
      account_type text not null,
      is_active boolean not null default true,
      constraint bank_account_type_known check (account_type in ('operating', 'security_deposit', 'reserve', 'business')),
      constraint bank_account_in_the_chart foreign key (organization_id, category_id) references category (organization_id, id)
    );
    create index bank_account_by_account on bank_account (organization_id, category_id);
    ${rowLevelSecuritySql("bank_account")}`);
    this.addSql(`create table bank_transfer (${orgColumnsSql},
      from_bank_account_id uuid not null,
      to_bank_account_id uuid not null,
      amount_cents bigint not null,
      occurred_at timestamptz(3) not null,
      memo text,
      status text not null,
      allocations jsonb not null,
      entry_id uuid not null,${voidColumns},
      constraint bank_transfer_amount_positive check (amount_cents > 0),
      constraint bank_transfer_between_two_accounts check (from_bank_account_id <> to_bank_account_id),
      constraint bank_transfer_voided_at_a_time check (status in ('posted', 'voided') and (status = 'voided') = (voided_at is not null)),
      constraint bank_transfer_from_an_account foreign key (organization_id, from_bank_account_id) references bank_account (organization_id, id),
      constraint bank_transfer_to_an_account foreign key (organization_id, to_bank_account_id) references bank_account (organization_id, id),
      constraint bank_transfer_has_posted foreign key (organization_id, entry_id) references journal_entry (organization_id, id)
    );
    create index bank_transfer_by_time on bank_transfer (organization_id, occurred_at, id);
    ${rowLevelSecuritySql("bank_transfer")}`);
    this.addSql(`create table bank_adjustment (${orgColumnsSql},
      bank_account_id uuid not null,
      kind text not null,
      amount_cents bigint not null,
      occurred_on date not null,
      property_id uuid,
      memo text,
      entry_id uuid not null,${voidColumns},
      constraint bank_adjustment_amount_positive check (amount_cents > 0),
      constraint bank_adjustment_kind_known check (kind in ('bank_fee', 'interest')),
      constraint bank_adjustment_of_an_account foreign key (organization_id, bank_account_id) references bank_account (organization_id, id),
      constraint bank_adjustment_has_posted foreign key (organization_id, entry_id) references journal_entry (organization_id, id)
    );
    create index bank_adjustment_by_account on bank_adjustment (organization_id, bank_account_id);
    ${rowLevelSecuritySql("bank_adjustment")}`);
    for (const [table, constraint] of [
      ["bank_deposit", "bank_deposit_at_a_bank_account"],
      ["payment_refund", "payment_refund_from_a_bank_account"],
    ])
      this.addSql(`alter table ${table} add trust_bank_account_id uuid,
        add constraint ${constraint} foreign key (organization_id, trust_bank_account_id) references bank_account (organization_id, id)`);
    this.addSql(`alter table journal_entry drop constraint journal_entry_source_known,
      add constraint journal_entry_source_known check (source in (${sources.map((source) => `'${source}'`).join(", ")}))`);
    this.addSql(
      `create index journal_line_by_bank_account on journal_line (organization_id, bank_account_id, entry_date, entry_id) where bank_account_id is not null`,
    );
  }
}
