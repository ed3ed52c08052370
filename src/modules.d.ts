/** A file of YAML that the build packs as a text. */
declare module '*.yaml' {
  const text: string;
  export default text;
}

declare module 'axios/dist/browser/axios.cjs' {
  const axios: unknown;
  export default axios;
}

declare module 'commander' {
  export * from '@commander-js/extra-typings';
}
