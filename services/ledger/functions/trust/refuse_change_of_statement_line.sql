CREATE OR REPLACE FUNCTION public.refuse_change_of_statement_line()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
  begin
    raise exception 'a line of a bank statement never changes' using errcode = 'insufficient_privilege';
  end $function$;
CREATE TRIGGER bank_statement_line_is_final BEFORE UPDATE ON public.bank_statement_line FOR EACH ROW EXECUTE FUNCTION refuse_change_of_statement_line();
