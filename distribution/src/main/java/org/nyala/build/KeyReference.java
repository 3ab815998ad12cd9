package org.nyala.build;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.nyala.config.ConfigurationFile;
import org.nyala.error.Setting;
import org.nyala.server.Reconfiguration;

/**
 * Writes the reference of the configuration in AsciiDoc: each key's expected value and default,
 * with the comments of the shipped configuration file.
 *
 * <p>A comment applies to the keys that follow it up to an empty line or another comment. Confined
 * to one thread.
 */
final class KeyReference {
  private static final Pattern OPENING = Pattern.compile("(\\w+) \\{");
  private static final Pattern KEY = Pattern.compile("(?:# )?(\\w+) = .*");
  private static final String ROOT = "nyala";
  private static final String INDEXES = "nyala.indexes";

  /** The keys below one comment. */
  private record Group(String comment, List<String> keys) {}

  /** The contents of one pair of braces. */
  private record Section(String name, String comment, List<Group> groups) {}

  private final List<String> indexes;
  private final Map<String, String> expectations = ConfigurationFile.expectations();
  private final Map<String, Setting> defaults = ConfigurationFile.defaults().all();
  private final Map<String, Section> sections = new LinkedHashMap<>();
  private final Deque<String> open = new ArrayDeque<>();
  private final StringBuilder comment = new StringBuilder();
  private boolean isNewGroup = true;

  private KeyReference(List<String> indexes) {
    this.indexes = indexes;
  }

  /**
   * Writes the reference.
   *
   * @param shipped the lines of the shipped configuration file
   * @param indexes the indexes that are made if none are configured
   * @throws IllegalStateException naming the keys that the file does not have
   */
  static String of(List<String> shipped, List<String> indexes) {
    KeyReference reference = new KeyReference(indexes);
    shipped.forEach(line -> reference.read(line.strip()));
    reference.requireAll();
    StringBuilder text = new StringBuilder();
    reference.sections.values().forEach(section -> reference.write(section, text));
    return text.toString();
  }

  private void read(String line) {
    Matcher opening = OPENING.matcher(line);
    Matcher key = KEY.matcher(line);
    if (opening.matches()) {
      open(opening.group(1));
    } else if (line.equals("}")) {
      open.pop();
      forget();
    } else if (line.isEmpty()) {
      forget();
    } else if (key.matches() && isKnown(key.group(1))) {
      add(qualified(key.group(1)));
    } else if (line.startsWith("#")) {
      if (!isNewGroup) {
        forget();
      }
      comment.append(line.substring(1).strip()).append(' ');
    }
  }

  private void open(String name) {
    String qualified = qualified(name);
    open.push(qualified);
    sections.put(qualified, new Section(qualified, comment.toString(), new ArrayList<>()));
    forget();
  }

  private void forget() {
    comment.setLength(0);
    isNewGroup = true;
  }

  private void add(String key) {
    List<Group> groups = section().groups();
    if (isNewGroup) {
      groups.add(new Group(comment.toString(), new ArrayList<>()));
      isNewGroup = false;
    }
    groups.getLast().keys().add(key);
  }

  private Section section() {
    @Nullable Section section = sections.get(open.peek());
    if (section == null) {
      throw new IllegalStateException("a key stands outside of braces");
    }
    return section;
  }

  private String qualified(String name) {
    @Nullable String above = open.peek();
    return above == null ? name : above + "." + name;
  }

  private boolean isKnown(String name) {
    return expectations.containsKey(qualified(name));
  }

  private void requireAll() {
    Set<String> missing = new TreeSet<>(expectations.keySet());
    sections.values().stream()
        .flatMap(section -> section.groups().stream())
        .forEach(group -> missing.removeAll(group.keys()));
    if (!missing.isEmpty()) {
      throw new IllegalStateException("the shipped configuration does not have " + missing);
    }
  }

  private void write(Section section, StringBuilder text) {
    String name = section.name();
    String title = name.equals(ROOT) ? "At the top" : name.substring(ROOT.length() + 1);
    text.append("[#keys-").append(name.replace('.', '-')).append("]\n=== ");
    text.append(AdocText.plain(title)).append("\n\n");
    // The section's comment stands beside keys without one.
    if (!name.equals(ROOT) && section.groups().stream().noneMatch(g -> g.comment().isBlank())) {
      text.append(AdocText.prose(section.comment())).append("\n\n");
    }
    if (name.equals(INDEXES)) {
      writeIndexes(text);
    } else if (!section.groups().isEmpty()) {
      text.append("[.keys,cols=\"6,4,3,2,10\",options=header]\n|===\n");
      text.append("|Key |Takes |Default |Reload |What\n\n");
      section.groups().forEach(group -> write(group, section.comment(), text));
      text.append("|===\n\n");
    }
  }

  private void write(Group group, String otherwise, StringBuilder text) {
    String comment = group.comment().isBlank() ? otherwise : group.comment();
    boolean first = true;
    for (String key : group.keys()) {
      text.append("|[[").append(key).append("]]").append(AdocText.code(shortName(key)));
      text.append(" |").append(AdocText.plain(expectations.getOrDefault(key, "")));
      text.append(" |").append(defaultOf(key));
      text.append(" |").append(reload(key));
      if (first) {
        String rows = group.keys().size() > 1 ? " ." + group.keys().size() + "+|" : " |";
        text.append(rows).append(AdocText.prose(comment));
      }
      text.append('\n');
      first = false;
    }
  }

  private static String reload(String key) {
    if (Reconfiguration.takesEffect(key)) {
      return "yes";
    }
    return Reconfiguration.isOfAccount(key) ? "yes, unless there was no account" : "restart";
  }

  private static String shortName(String key) {
    return key.substring(ROOT.length() + 1);
  }

  private String defaultOf(String key) {
    @Nullable Setting setting = defaults.get(key);
    return setting == null || setting.value().equals("null")
        ? "none"
        : AdocText.code(setting.value());
  }

  private void writeIndexes(StringBuilder text) {
    text.append(
        "[[nyala.indexes]]Each key is an attribute, each value a list of `eq`, `sub`, `pres` and `ord`. ");
    text.append("Read for new data directories only; `nyala index` changes others. Default: ");
    text.append(String.join(", ", indexes.stream().map(AdocText::code).toList()));
    text.append(".\n\n");
  }
}
