import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/** Lines of bank statements, and reconciliations of bank accounts with them. What is cleared in a finalized reconciliation is final. */
export class Reconciliations extends Migration {
  override up(): void {
    this.addSql(`create table bank_statement_upload (${orgColumnsSql},
      bank_account_id uuid not null,
      file_name text not null,
      format text not null,
      line_count int not null,
      added_count int not null,
      closing_balance_cents bigint,
      closing_date date,
      deleted_at timestamptz(3),
      constraint bank_statement_upload_format_known check (format in ('csv', 'ofx')),
      constraint bank_statement_upload_adds_its_lines check (added_count between 0 and line_count),
      constraint bank_statement_upload_of_an_account foreign key (organization_id, bank_account_id) references bank_account (organization_id, id)
    );
    create index bank_statement_upload_by_account on bank_statement_upload (organization_id, bank_account_id, created_at);
    ${rowLevelSecuritySql("bank_statement_upload")}`);
    this.addSql(`create table bank_statement_line (${orgColumnsSql},
      bank_account_id uuid not null,
      upload_id uuid not null,
      line_number int not null,
      posted_on date not null,
      amount_cents bigint not null,
      description text not null,
      reference text,
      bank_transaction_id text,
      line_key bytea not null,
      constraint bank_statement_line_once unique (organization_id, bank_account_id, line_key),
      constraint bank_statement_line_moves_money check (amount_cents <> 0),
      constraint bank_statement_line_of_an_account foreign key (organization_id, bank_account_id) references bank_account (organization_id, id),
      constraint bank_statement_line_of_an_upload foreign key (organization_id, upload_id) references bank_statement_upload (organization_id, id)
    );
    create index bank_statement_line_by_day on bank_statement_line (organization_id, bank_account_id, posted_on, id);
    create index bank_statement_line_by_upload on bank_statement_line (organization_id, upload_id);
    ${rowLevelSecuritySql("bank_statement_line")}`);
    this.addSql(`create table reconciliation (${orgColumnsSql},
      bank_account_id uuid not null,
      statement_start_date date not null,
      statement_end_date date not null,
      statement_ending_balance_cents bigint not null,
      status text not null,
      opening_balance_cents bigint,
      cleared_deposits_cents bigint,
      cleared_withdrawals_cents bigint,
      three_way jsonb,
      names jsonb,
      variance_note text,
      finalized_at timestamptz(3),
      finalized_by_user_id uuid,
      voided_at timestamptz(3),
      void_reason text,
      constraint reconciliation_ends_after_its_start check (statement_end_date >= statement_start_date),
      constraint reconciliation_status_known check (status in ('draft', 'finalized', 'voided')),
      constraint reconciliation_voided_at_a_time check ((status = 'voided') = (voided_at is not null)),
      constraint reconciliation_finalized_with_its_proof check (status <> 'finalized' or (finalized_at is not null and three_way is not null
        and coalesce(statement_ending_balance_cents = opening_balance_cents + cleared_deposits_cents - cleared_withdrawals_cents, false))),
      constraint reconciliation_of_an_account foreign key (organization_id, bank_account_id) references bank_account (organization_id, id)
    );
    create unique index reconciliation_one_draft on reconciliation (organization_id, bank_account_id) where status = 'draft';
    create unique index reconciliation_one_a_statement on reconciliation (organization_id, bank_account_id, statement_end_date) where status = 'finalized';
    create index reconciliation_by_end on reconciliation (organization_id, statement_end_date, id);
    ${rowLevelSecuritySql("reconciliation")}`);
    this.addSql(`create table reconciliation_item (
      organization_id uuid not null,
      reconciliation_id uuid not null,
      entry_id uuid not null,
      bank_account_id uuid not null,
      entry_date date not null,
      amount_cents bigint not null,
      is_cleared boolean not null,
      is_opening boolean not null default false,
      is_live boolean not null default true,
      statement_line_id uuid,
      match_reason text,
      primary key (organization_id, reconciliation_id, entry_id),
      constraint reconciliation_item_matched_for_a_reason check ((statement_line_id is null or match_reason is not null) and (match_reason is null or is_cleared)),
      constraint reconciliation_item_of_a_reconciliation foreign key (organization_id, reconciliation_id) references reconciliation (organization_id, id),
      constraint reconciliation_item_of_an_entry foreign key (organization_id, entry_id) references journal_entry (organization_id, id),
      constraint reconciliation_item_matched_with_a_line foreign key (organization_id, statement_line_id)
        references bank_statement_line (organization_id, id) on delete set null (statement_line_id)
    );
    create unique index reconciliation_item_cleared_once on reconciliation_item (organization_id, bank_account_id, entry_id) where is_cleared and is_live;
    create index reconciliation_item_by_entry on reconciliation_item (organization_id, entry_id) where is_cleared and is_live;
    create index reconciliation_item_by_line on reconciliation_item (organization_id, statement_line_id) where statement_line_id is not null;
    ${rowLevelSecuritySql("reconciliation_item")}`);
    this.addSql(finality);
  }
}

/** Triggers by which a finalized reconciliation and what is cleared in it never change, also for the service's role. */
const finality = `
  create function refuse_change_of_reconciliation() returns trigger language plpgsql set search_path = public, pg_temp as $$
  begin
    if old.status = 'voided' or (old.status = 'finalized' and not (new.status = 'voided'
        and (new.organization_id, new.id, new.created_at, new.bank_account_id, new.statement_start_date, new.statement_end_date, new.statement_ending_balance_cents,
          new.opening_balance_cents, new.cleared_deposits_cents, new.cleared_withdrawals_cents, new.three_way, new.names, new.variance_note, new.finalized_at, new.finalized_by_user_id)
        is not distinct from (old.organization_id, old.id, old.created_at, old.bank_account_id, old.statement_start_date, old.statement_end_date, old.statement_ending_balance_cents,
          old.opening_balance_cents, old.cleared_deposits_cents, old.cleared_withdrawals_cents, old.three_way, old.names, old.variance_note, old.finalized_at, old.finalized_by_user_id))) then
      raise exception 'a finalized reconciliation never changes: void it' using errcode = 'insufficient_privilege';
    end if;
    return new;
  end $$;
  create trigger reconciliation_is_final before update on reconciliation for each row execute function refuse_change_of_reconciliation();

  create function refuse_change_of_reconciled_item() returns trigger language plpgsql set search_path = public, pg_temp as $$
  declare
    item reconciliation_item := case when tg_op = 'DELETE' then old else new end;
    current_status text;
  begin
    -- The lock keeps the reconciliation from being finalized until the commit.
    select status into current_status from reconciliation where organization_id = item.organization_id and id = item.reconciliation_id for share;
    if current_status = 'draft' and (tg_op <> 'UPDATE' or new.reconciliation_id = old.reconciliation_id) then
      return item;
    end if;
    if current_status = 'voided' and tg_op = 'UPDATE' and not new.is_live
        and (new.organization_id, new.reconciliation_id, new.entry_id, new.bank_account_id, new.entry_date, new.amount_cents, new.is_cleared, new.is_opening)
        is not distinct from (old.organization_id, old.reconciliation_id, old.entry_id, old.bank_account_id, old.entry_date, old.amount_cents, old.is_cleared, old.is_opening) then
      return item;
    end if;
    raise exception 'the items of a finalized reconciliation never change: void it' using errcode = 'insufficient_privilege';
  end $$;
  create trigger reconciliation_item_is_final before insert or update or delete on reconciliation_item for each row execute function refuse_change_of_reconciled_item();

  create function refuse_reversal_of_reconciled() returns trigger language plpgsql set search_path = public, pg_temp as $$
  begin
    if exists (select from reconciliation_item i join reconciliation r on r.organization_id = i.organization_id and r.id = i.reconciliation_id
        where i.organization_id = new.organization_id and i.entry_id = new.id and i.is_cleared and i.is_live and r.status = 'finalized') then
      raise exception 'a transaction of a finalized reconciliation is not reversed' using errcode = 'check_violation', constraint = 'journal_entry_not_reconciled';
    end if;
    return new;
  end $$;
  create trigger journal_entry_is_not_reconciled before update of status on journal_entry
    for each row when (new.status = 'reversed' and old.status <> 'reversed') execute function refuse_reversal_of_reconciled();

  create function refuse_change_of_statement_line() returns trigger language plpgsql set search_path = public, pg_temp as $$
  begin
    raise exception 'a line of a bank statement never changes' using errcode = 'insufficient_privilege';
  end $$;
  create trigger bank_statement_line_is_final before update on bank_statement_line for each row execute function refuse_change_of_statement_line();`;
