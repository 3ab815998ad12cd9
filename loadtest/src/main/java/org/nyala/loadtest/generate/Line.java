package org.nyala.loadtest.generate;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A line of a template: an attribute and how its values are made. Immutable.
 *
 * @param attribute the description of the attribute
 * @param form how the value stands in the file
 * @param tags the parts of the value
 * @param conditions what must hold for the line to be there
 * @param repeated the tag that makes several values of the line; null for one
 */
record Line(
    Place place,
    String attribute,
    Form form,
    List<Tag> tags,
    List<Condition> conditions,
    Tag.@Nullable Repeated repeated) {

  /** The form of a value in LDIF (RFC 2849). */
  enum Form {
    /** Text. */
    PLAIN,
    /** Text that is base64 already. */
    BASE64,
    /** The URL of a file with the value. */
    URL
  }

  /** A condition of a line. */
  sealed interface Condition {
    /** Returns whether the entry, as far as it is made, has the line. */
    boolean holds(Frame entry);

    /** So many of a hundred entries. */
    record Presence(int percent, long salt) implements Condition {
      @Override
      public boolean holds(Frame entry) {
        return entry.draws(salt, 0).below(100) < percent;
      }
    }

    /**
     * Entries that have an attribute, or a value of it; or those that do not.
     *
     * @param value null for any value
     */
    record Having(List<Integer> lines, @Nullable String value, boolean isWanted)
        implements Condition {
      @Override
      public boolean holds(Frame entry) {
        for (int line : lines) {
          if (entry.has(line) && (value == null || entry.text(line).equals(value))) {
            return isWanted;
          }
        }
        return !isWanted;
      }
    }
  }

  Line {
    tags = List.copyOf(tags);
    conditions = List.copyOf(conditions);
  }

  /** A line without tags. */
  static Line constant(Place place, String attribute, String value) {
    return new Line(
        place,
        attribute,
        Form.PLAIN,
        List.of(new Tag.Literal(value.getBytes(UTF_8))),
        List.of(),
        null);
  }

  /** The attribute as bytes. */
  byte[] name() {
    return attribute.getBytes(UTF_8);
  }

  boolean isOf(String name) {
    return attribute.equalsIgnoreCase(name);
  }
}
