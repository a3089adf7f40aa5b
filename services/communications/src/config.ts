import { databaseUrl, readConfig, serviceSettings } from "@freehold/kit/config";
import { z } from "zod";

const schema = z.object({ ...serviceSettings, COMMUNICATIONS_DATABASE_URL: databaseUrl("communications") });

export const config = () => readConfig(schema);
