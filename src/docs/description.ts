/** Welcome text of the document and of the Swagger page. */
export const DESCRIPTION = `
Read-only queries over shipping records. Every answer comes from an external shipping system, and every answer says how
complete it is: look at the header \`Shipping-Completeness\`.

**Try this**: open an operation and press *Execute*. The fields hold examples that find something together; empty some to
find more.

1. *GetShippingPagedList*: shippings page by page, the newest first. Without any filter there are 1,876 of them.
2. *GetShippingInfoById* with \`SHP-000001\`: one whole record.
3. *GetShippingDetails* with \`SearchTerm\` = \`Berlin\`: a short list for a dropdown.
4. *GetShippingSingle* with \`OrderId\` = \`ORD-000001\`: the newest shipping of an order.

**When the external system fails**, lists answer 200 with nothing in them and say so in \`Shipping-Completeness\`; single
lookups answer 500. With \`Prefer: handling=strict\` all four fail with 502, 503 or 504 instead. Where a cache is on and
allowed to, the last good answer stands in, marked \`stale\`, with its \`Age\`.

**See it fail.** The embedded sandbox fails on demand. Use one of these as identifier, \`OrderId\`, \`TrackingNumber\` or
\`SearchTerm\`:

| value | the external system then |
|---|---|
| \`SIMULATE-500\` | answers 500 |
| \`SIMULATE-503\` | answers 503 with \`Retry-After\` |
| \`SIMULATE-TIMEOUT\` | never answers |
| \`SIMULATE-RESET\` | resets the connection |
| \`SIMULATE-BAD-JSON\` | sends broken JSON |
| \`SIMULATE-BAD-SHAPE\` | sends JSON that is no reply |
| \`SIMULATE-ODD-RECORD\` | sends a record with broken fields among good ones |

Parameter names match ignoring case; unknown parameters are ignored unless the caller is strict. Blank values count as
absent. Times are UTC.
`.trim();
