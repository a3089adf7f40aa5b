CREATE OR REPLACE FUNCTION public.begin_outbox_era(cluster bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
    begin
      if (select cluster_id from relay_state) = cluster then return; end if;
      -- Waits for transactions that are inserting events.
      lock table outbox in share mode;
      update relay_state set cluster_id = cluster, era_position = coalesce((select max(position) from outbox), 0),
        stream_epoch = null, stream_sequence = 0, published_position = 0, snapshot = '1:1:',
        -- A relay that runs would store its progress of the earlier era.
        holder = null, until = null;
    end $function$;
