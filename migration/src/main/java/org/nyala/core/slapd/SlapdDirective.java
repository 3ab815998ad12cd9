package org.nyala.core.slapd;

import java.util.List;
import org.nyala.core.access.rule.Source;

/**
 * A directive of slapd's configuration.
 *
 * <p>Immutable.
 *
 * @param source the place at which it begins
 * @param comments the lines of the comments before it, each with its {@code #}
 * @param lines the lines that it stands in, as they are
 * @param name its name, the same for both forms of the configuration ({@link DirectiveNames})
 * @param words its words without the first one, taken apart as slapd does
 * @param value its value as a whole; in slapd.conf the first of the words, or nothing
 */
public record SlapdDirective(
    Source source,
    List<String> comments,
    List<String> lines,
    String name,
    List<String> words,
    String value)
    implements SlapdPart {
  public SlapdDirective {
    comments = List.copyOf(comments);
    lines = List.copyOf(lines);
    words = List.copyOf(words);
  }

  /** Returns the name as the file has it: {@code olcSizeLimit} or {@code sizelimit}. */
  @Override
  public String writtenName() {
    // A line that begins with a space continues the empty one before it.
    String line = lines.stream().filter(each -> !each.isBlank()).findFirst().orElse(name).strip();
    int end = 0;
    while (end < line.length() && !Character.isWhitespace(line.charAt(end))) {
      end++;
    }
    String word = line.substring(0, end);
    return word.endsWith(":") ? word.substring(0, word.length() - 1) : word;
  }

  /** Returns whether the value is one that slapd takes as true: on, true, yes. */
  public boolean isOn() {
    return value.equalsIgnoreCase("on")
        || value.equalsIgnoreCase("true")
        || value.equalsIgnoreCase("yes")
        || value.equals("1");
  }

  /** Returns whether the value is one that slapd takes as false: off, false, no. */
  public boolean isOff() {
    return value.equalsIgnoreCase("off")
        || value.equalsIgnoreCase("false")
        || value.equalsIgnoreCase("no")
        || value.equals("0");
  }
}
