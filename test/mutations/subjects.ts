/** A critical part of the program, and the tests that must notice a bug in it, the fastest first. */
export interface Subject {
  readonly name: string;
  /** Each file with the tests that cover it, as paths from the root of the project. */
  readonly files: Readonly<Record<string, readonly string[]>>;
}

const retries = ["test/client/retry-decision.test.ts", "test/client/retry.test.ts"];
const statuses = ["test/client/retry-decision.test.ts", "test/cli/errors.test.ts"];
const lines = ["test/render/sanitize.test.ts", "test/render/all-of-unicode.test.ts"];
const json = ["test/json/raw-json.test.ts", "test/json/json-text.test.ts"];
const bytes = ["test/json/byte-scan.test.ts", "test/client/byte-rows.test.ts"];
const streams = ["event-stream", "event-frame", "parser-fuzz.slow"].map(
  (name) => `test/client/streams/${name}.test.ts`,
);
const verify = ["test/verify/verify.test.ts", "test/verify/planted-faults.slow.test.ts"];
const hosts = ["client/target", "cli/hosts-and-keys", "cli/applied-plans"].map(
  (name) => `test/${name}.test.ts`,
);

export const subjects: readonly Subject[] = [
  {
    name: "retries",
    files: {
      "src/client/retry.ts": retries,
      "src/client/http-times.ts": [...retries, "test/client/answer-age.test.ts"],
      "src/api/service-errors.ts": statuses,
    },
  },
  {
    name: "sanitiser",
    files: {
      "src/base/text/unsafe-text.ts": [...lines, "test/render/width.test.ts"],
      "src/base/json/json-text.ts": ["test/json/json-text.test.ts", "test/render/all-of-unicode.test.ts"],
    },
  },
  {
    name: "event streams",
    files: {
      "src/client/streams/event-stream.ts": streams,
      "src/base/byte-store.ts": [...streams, "test/client/streams/byte-store.test.ts"],
      "src/client/streams/event-frame.ts": streams,
      "src/client/stream-event.ts": streams,
      "src/client/connection/answer-body.ts": ["test/client/chunk-queue.test.ts"],
    },
  },
  {
    name: "target and key",
    files: {
      "src/client/target.ts": hosts,
      "src/api/host.ts": ["test/contract/host.test.ts"],
      "src/cli/settings/find-key.ts": ["test/settings/find-key.test.ts", "test/cli/key-command.test.ts"],
      "src/base/key.ts": ["test/settings/key-form.test.ts"],
    },
  },
  {
    name: "sync",
    files: {
      "src/lake/coverage.ts": ["test/lake/coverage.test.ts", "test/cli/sync.test.ts"],
      "src/lake/layout.ts": ["test/lake/layout.test.ts"],
      "src/lake/footer.ts": ["test/lake/layout.test.ts", "test/cli/sync.test.ts"],
      "src/lake/periods/lake-rows.ts": [
        "test/lake/merge-rows.test.ts",
        "test/cli/sync.test.ts",
        "test/lake/sync-days.slow.test.ts",
      ],
      "src/lake/periods/publish-period.ts": [
        "test/lake/judge-period.test.ts",
        "test/lake/merge-rows.test.ts",
        "test/cli/sync.test.ts",
        "test/lake/sync-evidence.slow.test.ts",
        "test/lake/sync-reach.test.ts",
      ],
      "src/lake/periods/judge-period.ts": [
        "test/lake/judge-period.test.ts",
        "test/lake/sync-evidence.slow.test.ts",
      ],
      "src/lake/reading/lake-reach.ts": ["test/lake/sync-reach.test.ts"],
      "src/lake/verify-lake.ts": ["test/lake/verify-lake.test.ts"],
    },
  },
  {
    name: "checkpoint",
    files: {
      "src/rows/checkpoint.ts": [
        "test/files/out/checkpoint.test.ts",
        "test/files/out/growing-file.test.ts",
        "test/cli/out.test.ts",
      ],
      "src/rows/rows-file.ts": ["test/files/out/growing-file.test.ts", "test/cli/out-unfinished.test.ts"],
      "src/rows/out-files/encoded-file.ts": [
        "test/files/out/encoded-file.test.ts",
        "test/cli/out-packed.test.ts",
        "test/cli/out-split.test.ts",
      ],
      "src/cli/commands/pull/split-pages.ts": ["test/cli/out-split.test.ts"],
      "src/rows/out-files/row-file.ts": [
        "test/files/out/checkpoint.test.ts",
        "test/files/out/growing-file.test.ts",
      ],
    },
  },
  {
    name: "rows",
    files: {
      "src/base/json/byte-scan.ts": [...bytes, ...streams],
      "src/client/response/byte-rows.ts": bytes,
      "src/base/json/field-finder.ts": ["test/json/field-finder.test.ts", "test/cli/prefix.test.ts"],
      "src/base/text/text-hash.ts": ["test/client/seen-keys.test.ts", "test/client/byte-rows.test.ts"],
      "src/client/seen-keys.ts": ["test/client/hash-table.test.ts", "test/client/seen-keys.test.ts"],
      "src/client/pages/next-cursor.ts": ["test/client/next-cursor.test.ts", "test/cli/paging.test.ts"],
      "src/base/json/json-scan.ts": json,
    },
  },
  {
    name: "parquet",
    files: {
      "src/base/json/exact-decimal.ts": [
        "test/verify/exact-values.test.ts",
        "test/parquet/round-trip.slow.test.ts",
        ...verify,
      ],
      "src/rows/parquet/cells.ts": ["test/parquet/round-trip.slow.test.ts"],
      "src/rows/parquet/row-reader.ts": ["test/parquet/round-trip.slow.test.ts"],
      "src/rows/parquet/row-bytes.ts": ["test/parquet/round-trip.slow.test.ts"],
      "src/rows/parquet/stored-column.ts": ["test/parquet/round-trip.slow.test.ts"],
      "src/rows/parquet-format.ts": ["test/parquet/columns.test.ts", "test/parquet/round-trip.slow.test.ts"],
      "src/rows/parquet-writer.ts": [
        "test/parquet/round-trip.slow.test.ts",
        "test/parquet/damage.test.ts",
        "test/cli/parquet.test.ts",
      ],
      "src/rows/parquet-file.ts": ["test/parquet/damage.test.ts", "test/parquet/round-trip.slow.test.ts"],
      "src/rows/parquet/file-mark.ts": [
        "test/parquet/damage.test.ts",
        "test/parquet/round-trip.slow.test.ts",
      ],
    },
  },
  {
    name: "verify",
    files: {
      "src/rows/verify/plain-rows.ts": ["test/verify/plain-rows.test.ts", ...verify],
      "src/rows/verify/row.ts": ["test/verify/exact-values.test.ts", ...verify],
      "src/rows/verify/read-rows.ts": verify,
      "src/rows/verify/row-checks.ts": verify,
      "src/rows/verify/candle-checks.ts": verify,
      "src/rows/row-checker.ts": verify,
      "src/rows/verify-file.ts": [...verify, "test/verify/parquet-files.test.ts"],
      "src/rows/verify-parquet.ts": ["test/verify/parquet-files.test.ts"],
    },
  },
];
