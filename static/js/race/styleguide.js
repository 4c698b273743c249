/** The parts of a room in all their states, for the style guide. */

import { dataOf } from "../page.js";
import { Emotes } from "./emotes.js";
import { showResults } from "./results.js";
import { Room } from "./room.js";
import { Seats } from "./seats.js";
import { Standing } from "./standing.js";
import { RoomWords } from "./words.js";

class GolfRoomParts extends HTMLElement {
  connectedCallback() {
    const words = new RoomWords(dataOf("room-words"));
    const part = (name) => this.querySelector(`[data-room="${name}"]`);
    const room = new Room();
    const [state, you] = dataOf("room-said");
    room.takeState(state);
    room.takeYou(you);
    new Seats(part("seats"), words, () => {}).show(room);
    new Standing(part("rivals"), part("strip"), words, () => {}).show(room, state.seats[1].id);
    showResults(part("results-rows"), room, words);
    const emotes = new Emotes(null, words, () => {});
    emotes.show(this.querySelector(".seat .sign"), "well_played");
  }
}

customElements.define("golf-room-parts", GolfRoomParts);
