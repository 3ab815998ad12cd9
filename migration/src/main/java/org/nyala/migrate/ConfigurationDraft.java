package org.nyala.migrate;

import com.typesafe.config.ConfigUtil;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Source;
import org.nyala.core.bytes.PrintableText;

/**
 * A configuration of Nyala while it is made: keys with their values, in the order in which they
 * were set.
 *
 * <p>Confined to one running operation.
 */
final class ConfigurationDraft {
  private static final int MAXIMUM_CHARS = 200;

  private final Map<String, Line> lines = new LinkedHashMap<>();

  private record Line(String value, List<String> comments) {}

  /**
   * Sets a key, which may be set already.
   *
   * @param key without {@code nyala.}
   * @param value in HOCON ({@link #text}, {@link #list})
   * @param comment the line above it; null for none
   */
  void set(String key, String value, @Nullable String comment) {
    List<String> comments = comment == null ? List.of() : List.of(comment);
    lines.put(key, new Line(value, comments));
  }

  boolean has(String key) {
    return lines.containsKey(key);
  }

  /** Returns a text in quotes. */
  static String text(String value) {
    return ConfigUtil.quoteString(value);
  }

  /** Returns a list of texts. */
  static String list(Iterable<String> values) {
    List<String> quoted = new ArrayList<>();
    values.forEach(value -> quoted.add(text(value)));
    return "[" + String.join(", ", quoted) + "]";
  }

  /** Returns a text, number, list or map in HOCON; a list of maps has a line for each. */
  static String value(Object value) {
    return switch (value) {
      case Map<?, ?> map ->
          map.entrySet().stream()
              .map(member -> member.getKey() + " = " + value(member.getValue()))
              .collect(Collectors.joining(", ", "{ ", " }"));
      case List<?> list when !list.isEmpty() && list.getFirst() instanceof Map ->
          list.stream()
              .map(ConfigurationDraft::value)
              .collect(Collectors.joining(",\n    ", "[\n    ", "\n  ]"));
      case List<?> list ->
          list.stream().map(ConfigurationDraft::value).collect(Collectors.joining(", ", "[", "]"));
      case Number number -> number.toString();
      case Boolean bool -> bool.toString();
      default -> text(value.toString());
    };
  }

  /** Returns an object of keys with values in HOCON. */
  static String object(Map<String, String> members) {
    return members.entrySet().stream()
        .map(member -> member.getKey() + " = " + member.getValue())
        .collect(Collectors.joining(", ", "{ ", " }"));
  }

  /** Returns the place of a directive as comments have it. */
  static String place(Source source, String name) {
    return PrintableText.of(source.file(), MAXIMUM_CHARS) + ':' + source.line() + ": " + name;
  }

  /** Returns the configuration as a file. */
  String render() {
    StringBuilder out = new StringBuilder("nyala {\n");
    lines.forEach(
        (key, line) -> {
          line.comments()
              .forEach(
                  comment ->
                      out.append("  # ")
                          .append(PrintableText.of(comment, MAXIMUM_CHARS))
                          .append('\n'));
          out.append("  ").append(key).append(" = ").append(line.value()).append('\n');
        });
    return out.append("}\n").toString();
  }
}
