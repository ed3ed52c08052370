/** The styles that words may have; how they look is for the front end that prints them. */

/** A style of the terminal. */
export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green';

/** Puts a style on a text; none where the stream is no terminal, or NO_COLOR is set. */
export type Styler = (style: Style, text: string) => string;
