import type { SeenKeys } from "../../client/pages/seen-keys.ts";
import type { Page } from "../../client/pages/page.ts";
import type { Context } from "../../context/context.ts";
import type { Question } from "../../contract/args.ts";
import type { TypedFlags, Values } from "../../run/flags/flag.ts";
import type { SharedValues } from "../../run/flags/shared-flags.ts";
import type { OpenClient } from "../../run/open-client.ts";
import type { Report } from "../../run/report.ts";
import type { RunOptions } from "../../run/run-options.ts";
import type { Questions } from "../asking/questions.ts";
import type { Destination } from "../../pull/destination.ts";
import type { EndpointFlags } from "./endpoint-flags.ts";

/** A command line that asks the service, as it was typed. */
export interface TypedCommand {
  /** Words of the command, without flags. */
  readonly command: readonly string[];
  readonly input: {
    readonly flags: SharedValues & Partial<Values<Pick<EndpointFlags, "chart" | "spark">>>;
    readonly typed: TypedFlags;
  };
  readonly outer: Context;
}

/** Questions that are being asked, and where their answers go. */
export interface Pull {
  readonly context: Context;
  readonly options: RunOptions;
  readonly questions: Questions;
  readonly report: Report;
  readonly open: OpenClient;
  readonly destination: Destination;
  readonly seen: SeenKeys;
  readonly typed: TypedCommand;
  /** The last page handed on, and what it answers. */
  last?: { readonly question: Question; readonly page: Page };
}
