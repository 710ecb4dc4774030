// Invariant: a ciphertext opens only for the row it was sealed for; these strings are what binds it (R-SIG-3).

/** Associated data of an endpoint secret. */
export function secretIdentity(row: { appId: number; endpointId: number; version: number }): string {
  return `secret/${row.appId}/${row.endpointId}/${row.version}`;
}

/** Associated data of an endpoint's own header values. */
export function headersIdentity(row: { appId: number; endpointId: number }): string {
  return `headers/${row.appId}/${row.endpointId}`;
}
