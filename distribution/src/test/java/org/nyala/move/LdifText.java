package org.nyala.move;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Base64;

/** Entries in LDIF as slapcat writes them, with folded lines. Confined to one thread. */
final class LdifText {
  private static final int WIDTH = 78;

  private final StringBuilder text = new StringBuilder();
  private int entries;

  /** Begins an entry. */
  LdifText entry(String dn, String... classes) {
    if (entries++ > 0) {
      text.append('\n');
    }
    with("dn", dn);
    for (String each : classes) {
      with("objectClass", each);
    }
    return this;
  }

  /** Adds a value, in Base64 if it must be. */
  LdifText with(String description, String value) {
    if (isSafe(value)) {
      fold(description + ": " + value);
    } else {
      with(description, value.getBytes(UTF_8));
    }
    return this;
  }

  LdifText with(String description, byte[] value) {
    fold(description + ":: " + Base64.getEncoder().encodeToString(value));
    return this;
  }

  private static boolean isSafe(String value) {
    return !value.isEmpty()
        && value.chars().allMatch(each -> each >= ' ' && each < 0x7F)
        && " :<".indexOf(value.charAt(0)) < 0
        && !value.endsWith(" ");
  }

  private void fold(String line) {
    int at = 0;
    for (int width = WIDTH; line.length() - at > width; width = WIDTH - 1) {
      text.append(line, at, at + width).append("\n ");
      at += width;
    }
    text.append(line, at, line.length()).append('\n');
  }

  int entries() {
    return entries;
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
