CREATE OR REPLACE FUNCTION public.hold_batch_shard()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
  declare
    shard int;
  begin
    for turn in 32..63 loop
      shard := turn;
      exit when pg_try_advisory_xact_lock(hashtext('batch'), shard);
    end loop;
    perform set_config('app.own_shard', shard::text, true);
  end $function$;
