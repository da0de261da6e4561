// Kauri as a boardgame.io game, less its passes and the tie-break: what is measured is the server around it.

const START = { beads: Array(12).fill(5), cowries: Array(12).fill(1), stores: [0, 0], mover: 0 };

/** The pits that may be played; none when the game is over. */
export const legal = ({ cowries, stores, mover }) =>
  stores.some((store) => store > 30) ? [] : [0, 1, 2, 3, 4, 5].map((pit) => pit + 6 * mover).filter((pit) => cowries[pit] > 0);

function sow(G, pit) {
  const { beads, cowries, stores, mover } = G;
  const sown = [beads[pit], cowries[pit]];
  beads[pit] = cowries[pit] = 0;
  for (let piece = 0, at = pit; piece < sown[0] + sown[1]; piece++) {
    at = (at + 1) % 12;
    const theirs = at >= 6 !== (mover === 1);
    if (piece < sown[0]) {
      if (theirs && cowries[at] > 0 && beads[at] === 0) stores[1 - mover]++;
      else beads[at]++;
    } else {
      if (theirs && cowries[at] === 0) stores[mover] += beads.splice(at, 1, 0)[0];
      cowries[at]++;
    }
  }
  G.mover = 1 - mover;
}

export const Kauri = {
  name: "kauri",
  setup: () => structuredClone(START),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    play: ({ G }, pit) => (legal(G).includes(pit) ? sow(G, pit) : "INVALID_MOVE"),
  },
};
