/** The styles of words; the front end that prints them decides how they look. */

export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green';

/** Styles a text; returns it unchanged if the output has no styles. */
export type Styler = (style: Style, text: string) => string;
