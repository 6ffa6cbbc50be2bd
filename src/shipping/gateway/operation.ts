/** The four calls of the external system, as metrics and the cache name them. */
export type Operation = 'single' | 'by-id' | 'details' | 'paged';
