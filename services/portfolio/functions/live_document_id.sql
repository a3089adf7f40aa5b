CREATE OR REPLACE FUNCTION public.live_document_id(document_id uuid)
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select d.id from document d where d.organization_id = current_organization() and d.id = document_id and d.deleted_at is null $function$;
