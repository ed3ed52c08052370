/** What the looks of all pages are made of: colours, sizes of type, and spaces. */

/** Six sizes of type, from notes to titles, and six spaces. */
export const SCALE = `
--small:.8rem; --note:.875rem; --text:1rem; --large:1.125rem; --heading:1.25rem; --title:1.75rem;
--s1:.25rem; --s2:.5rem; --s3:.75rem; --s4:1rem; --s5:1.5rem; --s6:2rem;`;

/** The colours of bands and shades, as red, green and blue: a text on them has a contrast of 4.5:1 too. */
export const LIGHT_FILLS =
  '--accept-fill:143,201,164; --review-fill:233,192,106; --reject-fill:224,141,136; --none-fill:223,227,231;';
const DARK_FILLS = '--accept-fill:44,107,69; --review-fill:128,97,29; --reject-fill:140,58,54; --none-fill:58,65,73;';

/**
 * The colours. Truths are blue, grey and plum: nobody takes them for the green, ochre and red of outcomes, and readers
 * who do not see red and green can tell them apart. Every text has a contrast of 4.5:1 or more with its background
 * (WCAG 2.2, 1.4.3); the tests measure it.
 */
export const LIGHT = `
${LIGHT_FILLS}
--ground:#f4f5f7; --paper:#fff; --ink:#191d22; --soft:#515a65; --line:#d3d8de; --rule:#8d97a3; --link:#17498a;
--focus:#0b57d0;
--true:#17498a; --true-ground:#e6eef8; --false:#565e68; --false-ground:#edeff1; --unknown:#84286b;
--unknown-ground:#f9eaf4;
--accept:#17653a; --accept-ground:#e2f2e8; --review:#744c00; --review-ground:#fbf0d6; --reject:#971b1e;
--reject-ground:#fbe7e6;`;

export const DARK = `
${DARK_FILLS}
--ground:#121417; --paper:#1a1d21; --ink:#e5e8eb; --soft:#a7b0ba; --line:#343a42; --rule:#6d7783; --link:#93bdf5;
--focus:#93bdf5;
--true:#93bdf5; --true-ground:#1a2a40; --false:#b3bac2; --false-ground:#292e34; --unknown:#e9a5d6;
--unknown-ground:#391f33;
--accept:#84d6a0; --accept-ground:#163222; --review:#efc670; --review-ground:#36290c; --reject:#ffa39b;
--reject-ground:#421a1a;`;
