import { databaseUrl, readConfig, serviceSettings } from "@freehold/kit/config";
import { z } from "zod";

const schema = z.object({ ...serviceSettings, IDENTITY_DATABASE_URL: databaseUrl("identity") });

export const config = () => readConfig(schema);
