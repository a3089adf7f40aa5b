import type { SentTemplateArea } from "@freehold/contract/maintenance/inspections";

const area = (name: string, ...items: readonly string[]): SentTemplateArea => ({ name, items: items.map((item) => ({ name: item })) });
const room = ["Walls and ceiling", "Floor", "Doors and locks", "Windows and screens", "Lights and outlets"];

/** Template that every new organization starts with: an apartment with one bedroom. */
export const starterTemplate = {
  name: "Apartment",
  type: null,
  areas: [
    area("Entry", "Front door and lock", "Walls and ceiling", "Floor", "Doorbell or intercom"),
    area("Living room", ...room),
    area("Kitchen", ...room, "Cabinets and counters", "Sink and faucet", "Refrigerator", "Stove and oven", "Dishwasher"),
    area("Bathroom", ...room, "Toilet", "Sink and faucet", "Shower and tub", "Fan", "Mirror and cabinet"),
    area("Bedroom", ...room, "Closet"),
    area("Whole unit", "Smoke detectors", "Carbon monoxide detectors", "Heating and cooling", "Water heater", "Cleanliness", "Keys returned"),
  ],
};
