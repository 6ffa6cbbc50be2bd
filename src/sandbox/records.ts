export interface ShippingRecord {
  readonly Id: string;
  readonly OrderId: string;
  readonly ShippingAddress: string;
  readonly TrackingNumber: string | null;
  readonly Status: string | undefined;
  /** Kilograms, also of one piece of an item. */
  readonly TotalWeight: number | null;
  /** `YYYY-MM-DDThh:mm:ss.sssZ`, so that text order is time order. */
  readonly CreatedDate: string;
  readonly CreatedBy: string | undefined;
  /** The same without a zone, which means UTC. */
  readonly ModifiedDate: string | null;
  readonly ModifiedBy: string | null;
  readonly IsDeleted: boolean;
  readonly ShippingItems: readonly { Id: string; Sku: string; Description: string; Quantity: number; Weight: number }[];
}

export const toSummary = (record: ShippingRecord): object => ({ ...record, ShippingItems: undefined });

export const ADDRESSES: readonly string[] = [
  'Friedrichstraße {house}, 10117 Berlin, Germany',
  'Schönhauser Allee {house}, 10437 Berlin, Germany',
  'Türkenstraße {house}, 80331 München, Germany',
  'Mariahilfer Straße {house}, 1070 Wien, Austria',
  'ul. Świętokrzyska {house}, 00-116 Warszawa, Poland',
  'ul. Piotrkowska {house}, 90-001 Łódź, Poland',
  'Calle de Alcalá {house}, 28014 Madrid, España',
  'Avenida São João {house}, 01305-000 São Paulo, Brasil',
  'Nørrebrogade {house}, 2200 København, Danmark',
  'Ερμού {house}, 105 63 Αθήνα, Ελλάδα',
  'вул. Хрещатик {house}, 01001 Київ, Україна',
  'İstiklal Caddesi {house}, 34433 İstanbul, Türkiye',
  '{house} rue Saint-Honoré, 75001 Paris, France',
  "{house} O'Connell Street, Dublin 1, Ireland",
  '{house} Market Street, San Francisco, CA 94103, USA',
  '〒104-0061 東京都中央区銀座{house}',
];

export const PRODUCTS: readonly { Sku: string; Description: string; Weight: number }[] = [
  { Sku: 'BK-2041', Description: 'Hardcover notebook, A5', Weight: 0.385 },
  { Sku: 'LM-1180', Description: 'Desk lamp, brass', Weight: 1.92 },
  { Sku: 'CH-7702', Description: 'Office chair', Weight: 14.6 },
  { Sku: 'TE-0100', Description: 'Grüner Tee, 100 g', Weight: 0.132 },
  { Sku: 'CB-0015', Description: 'USB-C cable, 2 m', Weight: 0.06 },
  { Sku: 'TW-0330', Description: '手ぬぐい', Weight: 0.045 },
];

export const USERS: readonly string[] = ['system', 'order-import', 'warehouse-1', 'a.kowalska', 'j.müller'];

/** Common texts are there twice. */
export const STATUS_TEXTS: readonly (string | undefined)[] = [
  ...['created', 'in_transit', 'in_transit', 'In_Transit', 'delivered', 'delivered', 'DELIVERED', 'cancelled'],
  ...['on_hold', 'returned', undefined],
];

const FIRST: ShippingRecord = {
  Id: 'SHP-000001',
  OrderId: 'ORD-000001',
  ShippingAddress: 'Friedrichstraße 43, 10117 Berlin, Germany',
  TrackingNumber: 'JD014600003828761',
  Status: 'in_transit',
  TotalWeight: 2.69,
  CreatedDate: '2026-07-01T09:30:00.000Z',
  CreatedBy: 'order-import',
  ModifiedDate: '2026-07-02T06:15:00.000',
  ModifiedBy: 'warehouse-1',
  IsDeleted: false,
  ShippingItems: [
    { Id: 'SHP-000001-1', Sku: 'LM-1180', Description: 'Desk lamp, brass', Quantity: 1, Weight: 1.92 },
    { Id: 'SHP-000001-2', Sku: 'BK-2041', Description: 'Hardcover notebook, A5', Quantity: 2, Weight: 0.385 },
  ],
};

export const FIRST_RECORDS: readonly ShippingRecord[] = [
  FIRST,
  {
    ...FIRST,
    Id: 'SHP-000002',
    TrackingNumber: 'JD014600003828778',
    Status: 'created',
    TotalWeight: 14.6,
    ModifiedDate: null,
    ModifiedBy: null,
    ShippingItems: [{ Id: 'SHP-000002-1', Sku: 'CH-7702', Description: 'Office chair', Quantity: 1, Weight: 14.6 }],
  },
];
