CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_table_name like 'journal%' then
        raise exception 'the journal is never rewritten: post a reversal' using errcode = 'insufficient_privilege';
      end if;
      raise exception '% is maintained by triggers', tg_table_name using errcode = 'insufficient_privilege';
    end $function$;
CREATE TRIGGER account_day_follows_lines BEFORE INSERT OR UPDATE ON public.account_day FOR EACH STATEMENT WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER account_day_is_kept BEFORE DELETE OR TRUNCATE ON public.account_day FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER account_month_follows_lines BEFORE INSERT OR UPDATE ON public.account_month FOR EACH STATEMENT WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER account_month_is_kept BEFORE DELETE OR TRUNCATE ON public.account_month FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER journal_entry_is_kept BEFORE DELETE OR TRUNCATE ON public.journal_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER journal_line_is_final BEFORE DELETE OR UPDATE OR TRUNCATE ON public.journal_line FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER list_total_follows_rows BEFORE INSERT OR UPDATE ON public.list_total FOR EACH STATEMENT WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER list_total_is_kept BEFORE DELETE OR TRUNCATE ON public.list_total FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
