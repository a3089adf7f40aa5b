import { databaseUrl, readConfig, serviceSettings } from "@freehold/kit/config";
import { z } from "zod";

export const schema = z.object({ ...serviceSettings, IMPORTS_DATABASE_URL: databaseUrl("imports") });

export const config = () => readConfig(schema);
