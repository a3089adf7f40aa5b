CREATE OR REPLACE FUNCTION public.keep_open_charges()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
    begin
      if new.balance_cents = 0 then
        delete from open_charge where organization_id = new.organization_id and charge_id = new.id;
      else
        insert into open_charge as kept values (new.organization_id, new.id, new.lease_id, new.tenant_id, new.property_id, new.charge_type, new.due_date, new.amount_cents, new.balance_cents)
          on conflict (organization_id, charge_id) do update set balance_cents = excluded.balance_cents;
      end if;
      if tg_op = 'UPDATE' and new.balance_cents <> old.balance_cents then
        insert into list_total as kept values (new.organization_id, 'open_charge', own_shard(new.organization_id),
            (new.balance_cents > 0)::int - (old.balance_cents > 0)::int, new.balance_cents - old.balance_cents)
          on conflict (organization_id, list, shard) do update set rows = kept.rows + excluded.rows, amount_cents = kept.amount_cents + excluded.amount_cents;
      end if;
      return null;
    end $function$;
CREATE TRIGGER keep_open_charges AFTER INSERT OR UPDATE OF balance_cents ON public.charge FOR EACH ROW EXECUTE FUNCTION keep_open_charges();
