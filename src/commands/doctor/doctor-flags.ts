import { identifying } from "../auth/auth-flags.ts";
import { flag, pick } from "../../run/flags/flag.ts";
import { toggle } from "../../run/flags/flag-types.ts";
import { sharedFlags } from "../../run/flags/shared-flags.ts";

export const doctorFlags = {
  flags: {
    "no-stream": flag(toggle, "Requests", { summary: "open no stream, which may cost a credit" }),
  },
  shared: {
    ...pick(sharedFlags, "output", "no-header", "color", "verbose", "error-format", "timeout", "rpm"),
    ...identifying,
  },
};

export type DoctorFlags = typeof doctorFlags.flags & typeof doctorFlags.shared;
