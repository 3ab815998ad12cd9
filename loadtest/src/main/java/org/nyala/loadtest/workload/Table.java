package org.nyala.loadtest.workload;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A file of people: rows of columns, or names alone. Columns are separated by tabs, semicolons or
 * commas, and may be in quotation marks; the first line may have their names. Immutable.
 *
 * @param columns the names of the columns
 * @param values the values of each column, by its place
 */
public record Table(List<String> columns, List<List<String>> values) {
  private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9;._ -]*");
  private static final Pattern DN = Pattern.compile("\\s*[A-Za-z0-9.-]+\\s*=.*");
  private static final Set<String> DNS = Set.of("dn", "entrydn", "distinguishedname", "binddn");
  private static final Set<String> PASSWORDS =
      Set.of("password", "userpassword", "passwd", "pw", "secret", "credentials");
  private static final Set<String> NAMES =
      Set.of("uid", "user", "username", "login", "name", "id", "mail", "cn", "samaccountname");

  public Table {
    columns = List.copyOf(columns);
    values = List.copyOf(values);
  }

  /**
   * Reads a file.
   *
   * @param attribute the name of a column of names that are not DNs, unless the file says it
   * @param mayBeNames true if lines with commas are names, unless the first one has columns
   * @throws IllegalArgumentException if the rows differ in their number of columns
   */
  public static Table read(Path file, String attribute, boolean mayBeNames) throws IOException {
    List<String> lines =
        PatternReader.lines(file).stream().filter(line -> !line.isBlank()).toList();
    LoadSettings.require(
        !lines.isEmpty(), "--names", "a file with lines", "the empty file " + file);
    String first = lines.getFirst().replace("\ufeff", "");
    char separator = separator(first, attribute, mayBeNames);
    List<String> heads = split(first, separator);
    boolean isHeaded = isHead(heads, attribute);
    List<String> names =
        isHeaded ? heads.stream().map(String::strip).toList() : named(heads, attribute);
    List<List<String>> values = new ArrayList<>();
    names.forEach(_ -> values.add(new ArrayList<>()));
    for (int number = isHeaded ? 1 : 0; number < lines.size(); number++) {
      List<String> fields = split(number == 0 ? first : lines.get(number), separator);
      LoadSettings.require(
          fields.size() == names.size(),
          "--names",
          "a file whose rows have as many columns as the first (" + names.size() + ")",
          file + ", whose row " + (number + 1) + " has " + fields.size());
      for (int column = 0; column < fields.size(); column++) {
        values.get(column).add(fields.get(column));
      }
    }
    LoadSettings.require(
        !values.getFirst().isEmpty(), "--names", "a file with rows", file + ", which has none");
    return new Table(names, values);
  }

  private static char separator(String line, String attribute, boolean mayBeNames) {
    for (char separator : new char[] {'\t', ';', ','}) {
      List<String> fields = split(line, separator);
      boolean isName =
          separator == ','
              && mayBeNames
              && line.charAt(0) != '"'
              && !DN.matcher(line).matches()
              && !isHead(fields, attribute);
      if (line.charAt(0) != '(' && fields.size() > 1 && !isName) {
        return separator;
      }
    }
    return '\t';
  }

  private static boolean isHead(List<String> fields, String attribute) {
    return fields.stream().allMatch(field -> NAME.matcher(field.strip()).matches())
        && fields.stream()
            .map(field -> field.strip().toLowerCase(java.util.Locale.ROOT))
            .anyMatch(
                field ->
                    DNS.contains(field)
                        || PASSWORDS.contains(field)
                        || NAMES.contains(field)
                        || field.equalsIgnoreCase(attribute));
  }

  private static List<String> named(List<String> fields, String attribute) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < fields.size(); i++) {
      boolean isDn = DN.matcher(fields.get(i)).matches();
      names.add(i == 0 ? isDn ? "dn" : attribute : i == 1 ? "password" : "column" + (i + 1));
    }
    return names;
  }

  /** The fields of a line. Commas in a name that is not in quotation marks are its own. */
  private static List<String> split(String line, char separator) {
    List<String> fields = new ArrayList<>();
    StringBuilder field = new StringBuilder();
    boolean isQuoted = false;
    for (int at = 0; at < line.length(); at++) {
      char c = line.charAt(at);
      boolean isDoubled = at + 1 < line.length() && line.charAt(at + 1) == '"';
      if (c == '"' && isQuoted && isDoubled) {
        field.append(c);
        at++;
      } else if (c == '"' && (isQuoted || field.toString().isBlank())) {
        isQuoted = !isQuoted;
      } else if (c == separator && !isQuoted) {
        fields.add(field.toString());
        field.setLength(0);
      } else {
        field.append(c);
      }
    }
    fields.add(field.toString());
    return separator == ',' && line.charAt(0) != '"' && DN.matcher(line).matches()
        ? joined(fields)
        : fields;
  }

  /** A name and what follows it: the RDNs of a name have an equals sign. */
  private static List<String> joined(List<String> fields) {
    int names = 0;
    while (names < fields.size() && fields.get(names).indexOf('=') >= 0) {
      names++;
    }
    List<String> joined = new ArrayList<>();
    joined.add(String.join(",", fields.subList(0, names)));
    joined.addAll(fields.subList(names, fields.size()));
    return joined;
  }

  /** The number of people. */
  public int rows() {
    return values.getFirst().size();
  }

  /** The column of the names of entries. */
  public Optional<String> dn() {
    return columns.stream()
        .filter(c -> DNS.contains(c.toLowerCase(java.util.Locale.ROOT)))
        .findFirst();
  }

  /** The column of passwords. */
  public Optional<String> password() {
    return columns.stream()
        .filter(c -> PASSWORDS.contains(c.toLowerCase(java.util.Locale.ROOT)))
        .findFirst();
  }

  /** The column of an attribute, or else of login names. */
  public Optional<String> name(String attribute) {
    return columns.stream()
        .filter(c -> c.equalsIgnoreCase(attribute))
        .findFirst()
        .or(
            () ->
                columns.stream()
                    .filter(c -> NAMES.contains(c.toLowerCase(java.util.Locale.ROOT)))
                    .findFirst());
  }

  /** The values of a column as a placeholder. */
  Source column(String name) {
    byte[][] texts =
        values.get(columns.indexOf(name)).stream()
            .map(value -> value.getBytes(UTF_8))
            .toArray(byte[][]::new);
    return new Source.Texts(
        new Source.Choice(Source.Way.PERSON, texts.length, 0, 1), texts, new long[0], false);
  }
}
