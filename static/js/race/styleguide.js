/** The parts of a room in all their states, for the style guide. */

import { Emotes } from "./emotes.js";
import { showResults } from "./results.js";
import { Room } from "./room.js";
import { Seats } from "./seats.js";
import { Standing } from "./standing.js";
import { RoomWords } from "./words.js";

const read = (id) => JSON.parse(document.getElementById(id).textContent);

class GolfRoomParts extends HTMLElement {
  connectedCallback() {
    const words = new RoomWords(read("room-words"));
    const part = (name) => this.querySelector(`[data-room="${name}"]`);
    const room = new Room();
    const [state, you] = read("room-said");
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
