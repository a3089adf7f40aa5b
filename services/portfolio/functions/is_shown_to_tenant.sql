CREATE OR REPLACE FUNCTION public.is_shown_to_tenant(source text, visibility text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    select source = 'tenant' or visibility in ('tenant_shared', 'tenant_vendor_shared') $function$;
