package org.nyala.loadtest.format;

import java.util.List;
import java.util.Locale;

/** Writes one JSON object (RFC 8259), member by member. Confined to one thread. */
public final class Json {
  private final StringBuilder out = new StringBuilder("{");

  /** Begins an object without members. */
  public Json() {}

  /** Appends a text. */
  public Json put(String name, String value) {
    return member(name, quoted(value));
  }

  /** Appends a whole number. */
  public Json put(String name, long value) {
    return member(name, Long.toString(value));
  }

  /** Appends a number to three places; null where there is none. */
  public Json put(String name, double value) {
    return member(
        name, Double.isFinite(value) ? String.format(Locale.ROOT, "%.3f", value) : "null");
  }

  /** Appends a truth value. */
  public Json put(String name, boolean value) {
    return member(name, Boolean.toString(value));
  }

  /** Appends an object. */
  public Json put(String name, Json value) {
    return member(name, value.toString());
  }

  /** Appends an array of values that are JSON already. */
  public Json put(String name, List<String> values) {
    return member(name, "[" + String.join(",\n", values) + "]");
  }

  /** Appends an array of texts. */
  public Json putTexts(String name, List<String> values) {
    return put(name, values.stream().map(Json::quoted).toList());
  }

  /** Appends a value that is JSON already. */
  public Json putRaw(String name, String json) {
    return member(name, json);
  }

  private Json member(String name, String value) {
    if (out.length() > 1) {
      out.append(',');
    }
    out.append(quoted(name)).append(':').append(value);
    return this;
  }

  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ') {
        quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }

  /** The object. */
  @Override
  public String toString() {
    return out + "}";
  }
}
