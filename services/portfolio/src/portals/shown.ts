import { withVersion, versionOf } from "@freehold/kit/http/etag";
import type { z } from "zod";

/** Of a view for the office, the members that the contract promises a portal, and nothing else; its version goes along. */
export function pickPortalFields<S extends z.ZodRawShape>(
  schema: z.ZodObject<S, z.core.$ZodObjectConfig>,
  view: z.output<z.ZodObject<S>> & object,
): z.output<z.ZodObject<S>> {
  const members = Object.entries(view).filter(([name]) => name in schema.shape);
  const version = versionOf({ view });
  const part = Object.fromEntries(members) as z.output<z.ZodObject<S>>;
  return version === undefined ? part : withVersion(part, version);
}
