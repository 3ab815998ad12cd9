package org.nyala.cli.running;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.List;
import java.util.stream.StreamSupport;

/**
 * A part of what the live page of a server shows. What the server does not know is empty.
 *
 * <p>Immutable: nobody changes the object.
 *
 * @param json the object, as {@code /page/data} has it
 */
record LivePart(JsonObject json) {
  /** Reads the whole. */
  static LivePart of(String text) {
    return new LivePart(JsonParser.parseString(text).getAsJsonObject());
  }

  /** Returns whether a member is there and known. */
  boolean has(String name) {
    JsonElement found = json.get(name);
    return found != null && !found.isJsonNull();
  }

  /** Returns an object in it; an empty one if it is not known. */
  LivePart part(String name) {
    return new LivePart(has(name) ? json.getAsJsonObject(name) : new JsonObject());
  }

  /** Returns the objects of a list; none if it is not known. */
  List<LivePart> parts(String name) {
    return has(name)
        ? elements(name).stream().map(each -> new LivePart(each.getAsJsonObject())).toList()
        : List.of();
  }

  /** Returns the texts of a list; none if it is not known. */
  List<String> texts(String name) {
    return has(name) ? elements(name).stream().map(JsonElement::getAsString).toList() : List.of();
  }

  private List<JsonElement> elements(String name) {
    return StreamSupport.stream(json.getAsJsonArray(name).spliterator(), false).toList();
  }

  /** Returns a text, also that of a number; an empty one if it is not known. */
  String text(String name) {
    return has(name) ? json.get(name).getAsString() : "";
  }

  /** Returns a whole number; 0 if it is not known. */
  long number(String name) {
    return has(name) ? json.get(name).getAsLong() : 0;
  }

  /** Returns a number; not a number if it is not known. */
  double value(String name) {
    return has(name) ? json.get(name).getAsDouble() : Double.NaN;
  }

  /** Returns whether something holds; not if it is not known. */
  boolean is(String name) {
    return has(name) && json.get(name).getAsBoolean();
  }
}
