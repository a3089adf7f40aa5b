/** Definition of events in the catalogue. */
import type { z } from "zod";
import type { Service } from "./operation.ts";

interface EventDefinition {
  from: Service;
  /** Second service that publishes the event, for its own resources. */
  alsoFrom?: Service;
  /** Type of the resource the event is about; `entityId` of the envelope is its id. */
  entity: string;
  /** Description of the event in the event catalogue. Its beginning, up to a colon or semicolon, is the summary of the event in activities. */
  description: string;
  data: z.ZodObject;
}

/** Returns the events with the types of their names and payloads. */
export const defineEvents = <const E extends Record<string, EventDefinition>>(events: E) => events;
