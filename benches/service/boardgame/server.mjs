// A boardgame.io server with the storage that it brings, as its documentation sets it up.
//
//   node server.mjs FOLDER    keeps its games in FOLDER

import server from "boardgame.io/dist/cjs/server.js";
import { Kauri } from "./game.mjs";

const { Server, FlatFile } = server;
const { appServer } = await Server({ games: [Kauri], origins: ["*"], db: new FlatFile({ dir: process.argv[2] }) }).run({
  port: 0,
  callback: () => {},
});
console.log(JSON.stringify({ message: "listening", address: `127.0.0.1:${appServer.address().port}` }));
