/** The table of a race that is over, or of the holes so far. */

import { duration } from "../board/words.js";
import { element, figure } from "./words.js";

export function showResults(body, room, words) {
  const rows = room.placed.map((seat) => {
    const { strokes, appScore, time } = room.figures(seat);
    const row = element("tr", seat.id === room.you.seat ? "me" : "");
    row.dataset.seat = seat.id;
    const name = element("th", "", element("bdi", "", seat.name));
    name.scope = "row";
    if (seat.id === room.you.seat) name.append(" ", element("span", "badge accent", words.say("you")));
    name.append(" ", element("span", "sign"));
    const cells = [words.number(strokes), words.toPar(seat.to_par), String(appScore), duration(time)];
    row.append(
      element("td", "place", figure(room.placeText(seat))),
      name,
      ...cells.map((text) => element("td", "number", figure(text))),
    );
    return row;
  });
  body.replaceChildren(...rows);
}
