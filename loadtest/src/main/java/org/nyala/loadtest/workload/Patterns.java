package org.nyala.loadtest.workload;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The patterns from which the requests of a test are made, for data other than those of the sample.
 * Immutable.
 *
 * @param value the value of the searched and compared attribute
 * @param dn the name of a person's entry
 * @param password the password of a person; null if none is known
 * @param newPassword the password that {@code password-modify} sets; null for the same one
 * @param filter the filter of searches; null for equality with the value
 * @param base the base of searches
 * @param scope the scope of searches: {@code base}, {@code one} or {@code sub}
 * @param attributes the attributes to return; all user attributes if there are none
 * @param entry the entries that {@code add-delete} adds; null for its own
 * @param changes the changes of {@code modify}; none for a replacement by a random number
 */
public record Patterns(
    TextPattern value,
    TextPattern dn,
    @Nullable TextPattern password,
    @Nullable TextPattern newPassword,
    @Nullable TextPattern filter,
    TextPattern base,
    TextPattern scope,
    List<TextPattern> attributes,
    @Nullable Entry entry,
    List<Change> changes) {
  /** The place of a person among all, from 0 up. */
  public static final TextPattern NUMBER =
      new TextPattern(
          List.of(
              new TextPattern.Inserted(
                  new Source.Numbers(
                      new Source.Choice(Source.Way.PERSON, Integer.MAX_VALUE, 0, 1), 0, 1, 0))));

  public Patterns {
    attributes = List.copyOf(attributes);
    changes = List.copyOf(changes);
  }

  /** An attribute of an entry with a value, or a name. Immutable. */
  public record Line(String name, TextPattern value) {}

  /** An entry to add. Immutable. */
  public record Entry(TextPattern dn, List<Line> attributes) {
    public Entry {
      attributes = List.copyOf(attributes);
    }

    /**
     * Reads LDIF with one entry whose values are patterns.
     *
     * @throws IllegalArgumentException if it is no such file
     */
    public static Entry read(Path file, PatternReader reader) throws IOException {
      List<String> unfolded = new ArrayList<>();
      for (String line : PatternReader.lines(file)) {
        if (line.startsWith(" ") && !unfolded.isEmpty()) {
          unfolded.add(unfolded.removeLast() + line.substring(1));
        } else if (!line.isBlank() && !line.startsWith("#")) {
          unfolded.add(line);
        }
      }
      List<Line> lines = new ArrayList<>();
      for (String line : unfolded) {
        int colon = line.indexOf(':');
        LoadSettings.require(
            colon > 0 && !line.startsWith("::", colon),
            "--entry",
            "a file with lines such as cn: Person {n}",
            file + " with the line " + line);
        String value = line.substring(colon + 1).strip();
        lines.add(new Line(line.substring(0, colon), reader.read("--entry", value)));
      }
      LoadSettings.require(
          lines.size() > 1 && "dn".equalsIgnoreCase(lines.getFirst().name),
          "--entry",
          "a file with one entry, whose first line is its dn",
          file);
      return new Entry(lines.getFirst().value.escaped(), lines.subList(1, lines.size()));
    }
  }

  /**
   * A change of one attribute. Immutable.
   *
   * @param operation 0 adds, 1 deletes, 2 replaces (RFC 4511, section 4.6)
   */
  public record Change(int operation, Line line) {
    private static final List<String> OPERATIONS = List.of("add ", "delete ", "replace ");

    /**
     * Reads {@code description:text}, which replaces, or {@code add mail:text}.
     *
     * @throws IllegalArgumentException if it is neither
     */
    public static Change read(String text, PatternReader reader) {
      int colon = text.indexOf(':');
      LoadSettings.require(
          colon > 0 && colon < text.length() - 1,
          "--change",
          "an attribute and its value, such as description:text {n} or add mail:{n}@example.com",
          text);
      String head = text.substring(0, colon).strip();
      int operation = 2;
      for (int i = 0; i < OPERATIONS.size(); i++) {
        if (head.toLowerCase(Locale.ROOT).startsWith(OPERATIONS.get(i))) {
          operation = i;
          head = head.substring(OPERATIONS.get(i).length()).strip();
          break;
        }
      }
      TextPattern value = reader.read("--change", text.substring(colon + 1).strip());
      return new Change(operation, new Line(head, value));
    }
  }

  /** The scopes of searches by their names, as requests have them (RFC 4511, section 4.5.1.2). */
  public static byte[] scope(String name) {
    int scope =
        switch (name.strip().toLowerCase(Locale.ROOT)) {
          case "base" -> 0;
          case "one" -> 1;
          case "sub" -> 2;
          default ->
              throw new IllegalArgumentException(
                  "--scope must be base, one or sub, or a choice such as {pick(base=1,sub=9)}, not "
                      + name);
        };
    return new byte[] {(byte) scope};
  }
}
