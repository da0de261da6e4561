// Plays games on a boardgame.io server, each over a connection of its own, always the first legal move: moves a
// second, as JSON.
//
//   node play.mjs ADDRESS GAMES SECONDS

import { io } from "socket.io-client";
import { legal } from "./game.mjs";

const [address, games, seconds] = process.argv.slice(2);
const until = Date.now() + 1000 * seconds;
let moves = 0;

/** Plays one game after the other on one connection until time is up. */
function play(name) {
  return new Promise((resolve) => {
    const socket = io(`http://${address}/kauri`, { transports: ["websocket"] });
    let number = 0;
    let match;
    const begin = () => socket.emit("sync", (match = `${name}-${number++}`), "0", undefined, 2);
    const go = ({ G, ctx, _stateID }) => {
      if (Date.now() > until) return resolve(socket.close());
      const [pit] = legal(G);
      if (pit === undefined) return begin();
      const payload = { type: "play", args: [pit], playerID: ctx.currentPlayer };
      socket.emit("update", { type: "MAKE_MOVE", payload }, _stateID, match, ctx.currentPlayer);
    };
    socket.on("connect", begin);
    socket.on("sync", (id, { state }) => id === match && go(state));
    socket.on("update", (id, state) => {
      if (id !== match) return;
      moves++;
      go(state);
    });
  });
}

const began = Date.now();
await Promise.all(Array.from({ length: games }, (_, game) => play(`${began}-${game}`)));
console.log(JSON.stringify({ moves: (1000 * moves) / (Date.now() - began) }));
