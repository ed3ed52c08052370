/**
 * Node's modules for HTTP -> themselves. An `import` reads each of their exports, and `http.WebSocket` loads undici:
 * 15 ms and 4 MB in a process that imports this library and makes no call.
 */

export const http = process.getBuiltinModule('node:http');
export const https = process.getBuiltinModule('node:https');
