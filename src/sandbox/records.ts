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

export const PLACES: readonly (readonly [address: string, ...streets: string[]])[] = [
  ['{street} {house}, 10117 Berlin, Germany', 'Friedrichstraße', 'Schönhauser Allee', 'Müllerstraße'],
  ['{street} {house}, 80331 München, Germany', 'Leopoldstraße', 'Türkenstraße', 'Sendlinger Straße'],
  ['{street} {house}, 50667 Köln, Germany', 'Aachener Straße', 'Große Budengasse'],
  ['{street} {house}, 1070 Wien, Austria', 'Mariahilfer Straße', 'Landstraßer Hauptstraße'],
  ['{street} {house}, 00-116 Warszawa, Poland', 'ul. Świętokrzyska', 'ul. Żurawia', 'ul. Łazienkowska'],
  ['{street} {house}, 90-001 Łódź, Poland', 'ul. Piotrkowska', 'ul. Próchnika'],
  ['{street} {house}, 110 00 Praha, Czechia', 'Václavské náměstí', 'Žitná'],
  ['{street} {house}, 28014 Madrid, España', 'Calle de Alcalá', 'Paseo de la Castellana'],
  ['{street} {house}, 01305-000 São Paulo, Brasil', 'Rua Augusta', 'Avenida São João'],
  ['{street} {house}, 2200 København, Danmark', 'Nørrebrogade', 'Østerbrogade'],
  ['{street} {house}, 211 43 Malmö, Sverige', 'Storgatan', 'Södra Förstadsgatan'],
  ['{street} {house}, 105 63 Αθήνα, Ελλάδα', 'Ερμού', 'Οδός Σταδίου'],
  ['{street} {house}, 01001 Київ, Україна', 'вул. Хрещатик', 'вул. Саксаганського'],
  ['{street} {house}, 34433 İstanbul, Türkiye', 'İstiklal Caddesi', 'Bağdat Caddesi'],
  ['{house} {street}, 75001 Paris, France', 'rue de Rivoli', 'rue Saint-Honoré', 'boulevard Voltaire'],
  ['{house} {street}, Dublin 1, Ireland', "O'Connell Street", 'Grafton Street'],
  ['{house} {street}, San Francisco, CA 94103, USA', 'Market Street', 'Valencia Street'],
  ['{house} {street}, Toronto, ON M5H 2N2, Canada', 'Queen Street', 'Yonge Street'],
  ['〒104-0061 東京都中央区{street}{house}-{unit}', '銀座', '日本橋', '京橋'],
  ['〒530-0001 大阪府大阪市北区{street}{house}-{unit}', '梅田', '堂島'],
];

export const PRODUCTS: readonly { sku: string; description: string; weight: number }[] = [
  { sku: 'BK-2041', description: 'Hardcover notebook, A5', weight: 0.385 },
  { sku: 'LM-1180', description: 'Desk lamp, brass', weight: 1.92 },
  { sku: 'CF-0450', description: 'Coffee beans, 500 g', weight: 0.525 },
  { sku: 'CH-7702', description: 'Office chair', weight: 14.6 },
  { sku: 'KB-3310', description: 'Mechanical keyboard', weight: 0.98 },
  { sku: 'MN-2700', description: 'Monitor, 27 inch', weight: 6.45 },
  { sku: 'TE-0100', description: 'Grüner Tee, 100 g', weight: 0.132 },
  { sku: 'BT-0808', description: 'Wanderschuhe, Größe 42', weight: 1.24 },
  { sku: 'PT-5512', description: 'Cast-iron pan', weight: 2.75 },
  { sku: 'CB-0015', description: 'USB-C cable, 2 m', weight: 0.06 },
  { sku: 'BG-6001', description: 'Travel backpack, 40 l', weight: 1.35 },
  { sku: 'TW-0330', description: '手ぬぐい', weight: 0.045 },
];

export const USERS: readonly string[] = ['system', 'order-import', 'warehouse-1', 'a.kowalska', 'j.müller', 'm.tanaka'];

/** `2 created, 1`: twice created, once undefined. */
const weighted = (texts: string): (string | undefined)[] =>
  texts.split(', ').flatMap((pair) => Array<string | undefined>(parseInt(pair)).fill(pair.split(' ')[1]));

/** Texts of orders up to an age, as often as they are common. */
export const STATUSES = [
  { maxDays: 3, texts: weighted('12 created, 2 CREATED, 4 in_transit, 1 cancelled, 1') },
  { maxDays: 12, texts: weighted('2 created, 9 in_transit, 2 In_Transit, 6 delivered, 1 cancelled, 1 on_hold') },
  { maxDays: 21, texts: weighted('2 in_transit, 14 delivered, 2 DELIVERED, 1 cancelled, 1 on_hold') },
  { maxDays: Infinity, texts: weighted('30 delivered, 4 DELIVERED, 4 cancelled, 1 Cancelled, 1 returned, 1') },
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
