CREATE OR REPLACE FUNCTION public.begin_transaction_era(cluster bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
    declare
      latest transaction_era;
    begin
      lock table transaction_era in exclusive mode;
      select * into latest from transaction_era order by era desc limit 1;
      if latest.cluster_id = cluster then return; end if;
      insert into transaction_era values (latest.era + 1, cluster);
      execute format('alter table journal_line alter transaction_era set default %s', latest.era + 1);
      execute format('alter table ledger_version alter snapshot_era set default %s', latest.era + 1);
    end $function$;
