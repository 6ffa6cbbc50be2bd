type Words<T> = readonly [T, ...T[]];

/** A place that receives shipments, with how its country writes an address. */
export interface Place {
  streets: Words<string>;
  format: (street: string, house: number, unit: number) => string;
}

const houseLast =
  (town: string) =>
  (street: string, house: number): string =>
    `${street} ${house}, ${town}`;

const houseFirst =
  (town: string) =>
  (street: string, house: number): string =>
    `${house} ${street}, ${town}`;

const japanese =
  (town: string) =>
  (street: string, house: number, unit: number): string =>
    `${town}${street}${house}-${unit}`;

/** Where shipments go; most names carry letters beyond ASCII. */
export const PLACES: Words<Place> = [
  { streets: ['Friedrichstraße', 'Schönhauser Allee', 'Müllerstraße'], format: houseLast('10117 Berlin, Germany') },
  { streets: ['Leopoldstraße', 'Türkenstraße', 'Sendlinger Straße'], format: houseLast('80331 München, Germany') },
  { streets: ['Aachener Straße', 'Große Budengasse'], format: houseLast('50667 Köln, Germany') },
  { streets: ['Mariahilfer Straße', 'Landstraßer Hauptstraße'], format: houseLast('1070 Wien, Austria') },
  { streets: ['ul. Świętokrzyska', 'ul. Żurawia', 'ul. Łazienkowska'], format: houseLast('00-116 Warszawa, Poland') },
  { streets: ['ul. Piotrkowska', 'ul. Próchnika'], format: houseLast('90-001 Łódź, Poland') },
  { streets: ['Václavské náměstí', 'Žitná'], format: houseLast('110 00 Praha, Czechia') },
  { streets: ['Calle de Alcalá', 'Paseo de la Castellana'], format: houseLast('28014 Madrid, España') },
  { streets: ['Rua Augusta', 'Avenida São João'], format: houseLast('01305-000 São Paulo, Brasil') },
  { streets: ['Nørrebrogade', 'Østerbrogade'], format: houseLast('2200 København, Danmark') },
  { streets: ['Storgatan', 'Södra Förstadsgatan'], format: houseLast('211 43 Malmö, Sverige') },
  { streets: ['Ερμού', 'Οδός Σταδίου'], format: houseLast('105 63 Αθήνα, Ελλάδα') },
  { streets: ['вул. Хрещатик', 'вул. Саксаганського'], format: houseLast('01001 Київ, Україна') },
  { streets: ['İstiklal Caddesi', 'Bağdat Caddesi'], format: houseLast('34433 İstanbul, Türkiye') },
  { streets: ['rue de Rivoli', 'rue Saint-Honoré', 'boulevard Voltaire'], format: houseFirst('75001 Paris, France') },
  { streets: ["O'Connell Street", 'Grafton Street'], format: houseFirst('Dublin 1, Ireland') },
  { streets: ['Market Street', 'Valencia Street'], format: houseFirst('San Francisco, CA 94103, USA') },
  { streets: ['Queen Street', 'Yonge Street'], format: houseFirst('Toronto, ON M5H 2N2, Canada') },
  { streets: ['銀座', '日本橋', '京橋'], format: japanese('〒104-0061 東京都中央区') },
  { streets: ['梅田', '堂島'], format: japanese('〒530-0001 大阪府大阪市北区') },
];

/** The articles that are shipped; weights in kilograms for one piece. */
export const PRODUCTS: Words<{ sku: string; description: string; weight: number }> = [
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

/** The accounts that create and change records. */
export const USERS: Words<string> = ['system', 'order-import', 'warehouse-1', 'a.kowalska', 'j.müller', 'm.tanaka'];

const repeated = (...weighted: (readonly [text: string | null, times: number])[]): Words<string | null> =>
  weighted.flatMap(([text, times]) => Array<string | null>(times).fill(text)) as unknown as Words<string | null>;

/**
 * Status texts of orders up to an age in days, repeated by how common they are; null is a status never set. After three
 * weeks no order is created or in transit any more.
 */
export const STATUSES_BY_AGE: Words<{ maxDays: number; texts: Words<string | null> }> = [
  { maxDays: 3, texts: repeated(['created', 12], ['CREATED', 2], ['in_transit', 4], ['cancelled', 1], [null, 1]) },
  {
    maxDays: 12,
    texts: repeated(
      ['created', 2],
      ['in_transit', 9],
      ['In_Transit', 2],
      ['delivered', 6],
      ['cancelled', 1],
      ['on_hold', 1],
    ),
  },
  {
    maxDays: 21,
    texts: repeated(['in_transit', 2], ['delivered', 14], ['DELIVERED', 2], ['cancelled', 1], ['on_hold', 1]),
  },
  {
    maxDays: Infinity,
    texts: repeated(
      ['delivered', 30],
      ['DELIVERED', 4],
      ['cancelled', 4],
      ['Cancelled', 1],
      ['returned', 1],
      [null, 1],
    ),
  },
];
