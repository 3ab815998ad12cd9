package org.nyala.lmdb.format;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Txn;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.env.LmdbEnvironment;

/**
 * The files from which the definitions of a store came, for messages about those that have gone
 * missing: one value of {@code meta}, written by an import and by the start of a server.
 *
 * <pre>
 *   origins           1.2.3.1 badge /etc/nyala/schema/badge.schema:1      a line for each
 * </pre>
 *
 * <p>Definitions that are in no file any more keep their lines. Stores of older versions have none.
 *
 * <p>Immutable.
 */
public final class DefinitionOrigins {
  /** The most lines: more than any schema has, so that a store does not grow without end. */
  private static final int MOST = 20_000;

  private static final String KEY = "origins";

  /** The names and files by object identifier. */
  private final Map<String, Line> byOid = new LinkedHashMap<>();

  private final Map<String, Line> byName = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

  private record Line(String oid, String name, String file) {
    @Override
    public String toString() {
      return oid + ' ' + name + ' ' + file;
    }
  }

  private DefinitionOrigins(List<Line> lines) {
    for (Line line : lines) {
      byOid.put(line.oid, line);
      byName.put(line.name, line);
    }
  }

  /** Returns what a store has noted. */
  public static DefinitionOrigins read(LmdbEnvironment environment, Txn<ByteBuffer> txn) {
    return new DefinitionOrigins(lines(MetaTexts.get(environment.meta(), txn, KEY)));
  }

  private static List<Line> lines(@Nullable String text) {
    List<Line> lines = new ArrayList<>();
    for (String line : text == null ? List.<String>of() : text.lines().toList()) {
      String[] parts = line.split(" ", 3);
      if (parts.length == 3) {
        lines.add(new Line(parts[0], parts[1], parts[2]));
      }
    }
    return lines;
  }

  /** Returns whether a store has noted all files of a schema. */
  static boolean isNoted(LmdbEnvironment environment, Txn<ByteBuffer> txn, Schema schema) {
    String noted = MetaTexts.get(environment.meta(), txn, KEY);
    return merged(noted, schema).equals(noted == null ? "" : noted);
  }

  /** Notes the files of a schema in a store. */
  public static void note(LmdbEnvironment environment, Txn<ByteBuffer> txn, Schema schema) {
    String noted = MetaTexts.get(environment.meta(), txn, KEY);
    String text = merged(noted, schema);
    if (!text.isEmpty()) {
      MetaTexts.put(environment.meta(), txn, KEY, text);
    }
  }

  private static String merged(@Nullable String noted, Schema schema) {
    Map<String, Line> merged = new TreeMap<>();
    for (AttributeType type : schema.attributeTypes()) {
      put(merged, schema, type.oid(), type.name());
    }
    for (ObjectClass objectClass : schema.objectClasses()) {
      put(merged, schema, objectClass.oid(), objectClass.name());
    }
    for (Line line : lines(noted)) {
      if (merged.size() < MOST) {
        merged.putIfAbsent(line.oid, line);
      }
    }
    StringBuilder text = new StringBuilder();
    merged.values().forEach(line -> text.append(line).append('\n'));
    return text.toString();
  }

  private static void put(Map<String, Line> lines, Schema schema, String oid, String name) {
    String file = schema.origins().get(oid);
    if (file != null) {
      lines.put(oid, new Line(oid, name, file.replaceAll("\\R", " ")));
    }
  }

  /**
   * Returns a definition with the file that it came from, if that is known.
   *
   * @param name a name or object identifier
   */
  public String text(String name) {
    Line line = byOid.getOrDefault(name, byName.get(name));
    return line == null ? name : line.name + " (" + line.oid + ", which was in " + line.file + ')';
  }
}
