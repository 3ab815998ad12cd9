package org.nyala.management.page;

import org.nyala.log.LogText;

/**
 * A JSON text for the page. Texts of clients are cut, without the values of secret attributes, and
 * have nothing in them that could be markup.
 *
 * <p>Confined to one thread.
 */
final class PageJson {
  private static final double THOUSAND = 1000;

  private final StringBuilder text = new StringBuilder(1 << 14);

  /** Begins an object without a name. */
  PageJson object() {
    separate().append('{');
    return this;
  }

  PageJson object(String name) {
    name(name).append('{');
    return this;
  }

  PageJson endObject() {
    text.append('}');
    return this;
  }

  PageJson list(String name) {
    name(name).append('[');
    return this;
  }

  PageJson endList() {
    text.append(']');
    return this;
  }

  PageJson with(String name, long value) {
    name(name).append(value);
    return this;
  }

  /** Adds a number in thousandths; nothing is known if it is not finite. */
  PageJson with(String name, double value) {
    name(name);
    number(value);
    return this;
  }

  PageJson with(String name, boolean value) {
    name(name).append(value);
    return this;
  }

  PageJson with(String name, String value) {
    LogText.jsonOfPage(value, name(name));
    return this;
  }

  PageJson nothing(String name) {
    name(name).append("null");
    return this;
  }

  /** Adds a number to a list; nothing is known if it is not finite. */
  PageJson item(double value) {
    separate();
    number(value);
    return this;
  }

  PageJson item(String value) {
    LogText.jsonOfPage(value, separate());
    return this;
  }

  private void number(double value) {
    if (!Double.isFinite(value)) {
      text.append("null");
    } else if (value == Math.rint(value)) {
      text.append((long) value);
    } else {
      text.append(Math.round(value * THOUSAND) / THOUSAND);
    }
  }

  /** Appends a name, which is one of the server's own. */
  private StringBuilder name(String name) {
    return separate().append('"').append(name).append("\":");
  }

  private StringBuilder separate() {
    if (!text.isEmpty()) {
      char last = text.charAt(text.length() - 1);
      if (last != '{' && last != '[' && last != ':') {
        text.append(',');
      }
    }
    return text;
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
