/** Text of the OpenAPI document. */
export function welcomeText(hasSandbox: boolean, basePath: string): string {
  return `
Read-only queries over shipping records. The data comes from an external shipping system, and the header
\`Shipping-Completeness\` of every successful response says how complete it is.

When the external system fails, lists respond with 200 and an empty list, and \`Shipping-Completeness\` gives the reason; single lookups
respond with 500. With \`Prefer: handling=strict\` all respond with 502, 503 or 504 instead.

Paths and parameter names match ignoring case. Unknown parameters are ignored, and named in \`Shipping-Ignored-Parameters\`. Times are UTC.
This document as a file: [openapi.json](${basePath}/openapi.json), [openapi.yaml](${basePath}/openapi.yaml). The errors: [problems](${basePath}/problems).
${hasSandbox ? SANDBOX : ''}`.trim();
}

const SANDBOX = `
## Sandbox

The external system is the embedded sandbox. It fails on demand: use one of these values as identifier, \`OrderId\`, \`TrackingNumber\` or
\`SearchTerm\`.

| value | the external system then |
|---|---|
| \`SIMULATE-500\`, \`SIMULATE-503\` | returns 500; 503 with \`Retry-After\` |
| \`SIMULATE-TIMEOUT\`, \`SIMULATE-RESET\` | never responds; resets the connection |
| \`SIMULATE-BAD-JSON\`, \`SIMULATE-BAD-SHAPE\` | returns invalid JSON; JSON of the wrong shape |
| \`SIMULATE-ODD-RECORD\` | returns a malformed record among valid ones |
| \`SIMULATE-NOT-FOUND\` | returns 404: no match on single lookups, a failure on lists |
| \`SIMULATE-SLOW\` | returns the records of ORD-000001 after 1.5 seconds |
| \`SIMULATE-CIRCUIT-OPEN\` | returns 501: 20 such attempts within ten seconds open the circuit of the operation for 5 seconds |`;
