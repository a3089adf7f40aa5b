import { withVersion, versionOf } from "./etag.ts";
import type { z } from "zod";

/** Returns the members of an office view that the portal's schema has. The version is preserved. */
export function pickPortalFields<S extends z.ZodRawShape>(
  schema: z.ZodObject<S, z.core.$ZodObjectConfig>,
  view: z.output<z.ZodObject<S>> & object,
): z.output<z.ZodObject<S>> {
  const entries = Object.entries(view).filter(([name]) => name in schema.shape);
  const version = versionOf({ view });
  const portalView = Object.fromEntries(entries) as z.output<z.ZodObject<S>>;
  return version === undefined ? portalView : withVersion(portalView, version);
}
