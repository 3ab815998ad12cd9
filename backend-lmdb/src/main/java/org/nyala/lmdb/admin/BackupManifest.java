package org.nyala.lmdb.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.nyala.lmdb.env.FileFailures;
import org.nyala.lmdb.env.StoreException;

/**
 * The manifest of a backup: the file {@value #FILE_NAME} beside its data. It is written last, so a
 * backup without it is incomplete.
 *
 * <pre>
 *   nyala backup      1
 *   program           nyala 0.1.0
 *   time              2026-11-22T02:15:30Z
 *   format            3
 *   entries           100000
 *   bytes             123456789
 *   sha256            of data.mdb, as sha256sum prints it
 *   context           dc=example,dc=com           a line for each; backslash and line feed are escaped
 * </pre>
 *
 * <p>Immutable.
 *
 * @param program name and version of the program that made the backup
 * @param time when the backup was begun: it contains every change that was answered before
 * @param format the format of the store
 * @param entries the number of entries
 * @param bytes the length of the data file
 * @param sha256 the digest of the data file, in hexadecimal digits
 * @param namingContexts the DNs of the naming contexts
 */
public record BackupManifest(
    String program,
    Instant time,
    String format,
    long entries,
    long bytes,
    String sha256,
    List<String> namingContexts) {
  public static final String FILE_NAME = "backup.manifest";

  private static final String VERSION_KEY = "nyala backup";
  private static final String VERSION = "1";
  private static final String PROGRAM = "program";
  private static final String TIME = "time";
  private static final String FORMAT = "format";
  private static final String ENTRIES = "entries";
  private static final String BYTES = "bytes";
  private static final String SHA256 = "sha256";
  private static final String CONTEXT = "context";
  private static final int KEY_WIDTH = 18;

  /** The largest accepted size, far more than the names of a server's naming contexts take. */
  private static final long MAXIMUM_BYTES = 16L << 20;

  public BackupManifest {
    namingContexts = List.copyOf(namingContexts);
  }

  /** Returns the contents of the file. */
  String text() {
    StringBuilder text = new StringBuilder();
    line(text, VERSION_KEY, VERSION);
    line(text, PROGRAM, program);
    line(text, TIME, time.toString());
    line(text, FORMAT, format);
    line(text, ENTRIES, Long.toString(entries));
    line(text, BYTES, Long.toString(bytes));
    line(text, SHA256, sha256);
    for (String context : namingContexts) {
      line(text, CONTEXT, context);
    }
    return text.toString();
  }

  private static void line(StringBuilder text, String key, String value) {
    text.append(key).append(" ".repeat(KEY_WIDTH - key.length()));
    text.append(value.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r"));
    text.append('\n');
  }

  /**
   * Reads the file of a backup.
   *
   * @throws StoreException if there is none, or it cannot be understood
   */
  public static BackupManifest read(Path directory) {
    Path file = directory.resolve(FILE_NAME);
    if (!Files.isRegularFile(file)) {
      throw new StoreException(
          directory
              + " is not a complete backup: it has no "
              + FILE_NAME
              + ", which is written last");
    }
    try {
      if (Files.size(file) > MAXIMUM_BYTES) {
        throw new StoreException(file + " is too long");
      }
      return parse(file, Files.readAllLines(file, UTF_8));
    } catch (IOException e) {
      throw new StoreException("cannot read the manifest: " + FileFailures.reason(e), e);
    }
  }

  private static BackupManifest parse(Path file, List<String> lines) {
    Map<String, String> values = new HashMap<>();
    List<String> contexts = new ArrayList<>();
    for (String line : lines) {
      String key = line.substring(0, Math.min(KEY_WIDTH, line.length())).strip();
      String value = unescaped(line.substring(Math.min(KEY_WIDTH, line.length())));
      if (key.equals(CONTEXT)) {
        contexts.add(value);
      } else {
        values.put(key, value);
      }
    }
    if (!VERSION.equals(values.get(VERSION_KEY))) {
      throw new StoreException(file + " is not the manifest of a backup that this Nyala reads");
    }
    try {
      return new BackupManifest(
          value(values, PROGRAM),
          Instant.parse(value(values, TIME)),
          value(values, FORMAT),
          Long.parseLong(value(values, ENTRIES)),
          Long.parseLong(value(values, BYTES)),
          value(values, SHA256),
          contexts);
    } catch (NumberFormatException | DateTimeParseException e) {
      throw new StoreException(file + " is damaged: " + e.getMessage(), e);
    }
  }

  private static String value(Map<String, String> values, String key) {
    return values.getOrDefault(key, "");
  }

  private static String unescaped(String text) {
    StringBuilder value = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\' && i + 1 < text.length()) {
        i++;
        value.append(
            switch (text.charAt(i)) {
              case 'n' -> '\n';
              case 'r' -> '\r';
              default -> text.charAt(i);
            });
      } else {
        value.append(c);
      }
    }
    return value.toString();
  }
}
