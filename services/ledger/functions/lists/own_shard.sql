CREATE OR REPLACE FUNCTION public.own_shard(organization uuid)
 RETURNS smallint
 LANGUAGE plpgsql
AS $function$
  declare
    mine text := current_setting('app.own_shard', true);
    shard int;
  begin
    if mine <> '' then return mine::smallint; end if;
    for turn in 0..31 loop
      shard := (pg_backend_pid() + turn) % 32;
      exit when pg_try_advisory_xact_lock(hashtext(organization::text), shard);
    end loop;
    perform set_config('app.own_shard', shard::text, true);
    return shard;
  end $function$;
