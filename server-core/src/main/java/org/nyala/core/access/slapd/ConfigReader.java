package org.nyala.core.access.slapd;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.nyala.core.access.rule.Source;
import org.nyala.core.ldif.LdifChunk;
import org.nyala.core.ldif.LdifChunkReader;
import org.nyala.core.ldif.LdifLimits;
import org.nyala.core.ldif.LdifParser;
import org.nyala.core.ldif.LdifRecord;

/**
 * Reads {@code cn=config}: the LDIF that {@code slapcat -n0} writes, or the folder in which slapd
 * keeps it. Comments of LDIF are not kept: slapd has written them.
 *
 * <p>Confined to one thread.
 */
final class ConfigReader {
  private static final int CHUNK_BYTES = 1 << 16;
  private static final int MAXIMUM_FILES = 10_000;
  private static final LdifLimits LIMITS =
      new LdifLimits(SlapdConfiguration.MAXIMUM_BYTES, 0, 100_000);

  /** The place in an order that slapd writes before a value. */
  private static final Pattern ORDER = Pattern.compile("\\{(-?[0-9]{1,9})}(.*)", Pattern.DOTALL);

  private final SlapdConfiguration configuration;

  /** A value with its place in slapd's order. */
  private record Value(int order, String text, Source source, String attribute) {}

  ConfigReader(SlapdConfiguration configuration) {
    this.configuration = configuration;
  }

  /**
   * Reads the files of a folder and of those in it.
   *
   * @throws InvalidSlapdFileException if none of them has a database
   */
  void readFolder(Path folder) throws IOException, InvalidSlapdFileException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(folder)) {
      files =
          all.filter(file -> file.toString().endsWith(".ldif"))
              .filter(Files::isRegularFile)
              .limit(MAXIMUM_FILES + 1L)
              .sorted()
              .toList();
    }
    Source source = new Source(SlapdConfiguration.nameOf(folder), 1, 1);
    if (files.isEmpty() || files.size() > MAXIMUM_FILES) {
      throw new InvalidSlapdFileException(
          source, files.size() + " files of LDIF, expected 1 to " + MAXIMUM_FILES);
    }
    for (Path file : files) {
      readFile(file);
    }
  }

  /** Reads a file of LDIF. */
  void readFile(Path file) throws IOException, InvalidSlapdFileException {
    Path folder = file.toAbsolutePath().getParent();
    LdifParser parser = new LdifParser(LIMITS, folder == null ? Path.of("/") : folder);
    LdifChunk chunk = new LdifChunk(CHUNK_BYTES);
    LdifRecord record = new LdifRecord();
    try (LdifChunkReader reader = new LdifChunkReader(Files.newInputStream(file), LIMITS)) {
      while (reader.next(chunk)) {
        parser.start(chunk);
        while (parser.next(record)) {
          record(SlapdConfiguration.nameOf(file), record);
        }
      }
    }
  }

  private void record(String file, LdifRecord record) throws InvalidSlapdFileException {
    String error = record.error();
    if (error != null) {
      throw new InvalidSlapdFileException(new Source(file, (int) record.errorLine(), 1), error);
    }
    List<Value> values = new ArrayList<>();
    for (int i = 0; i < record.size(); i++) {
      values.add(value(file, record, i));
    }
    // Relative to their order among those of one attribute; databases have one value each.
    values.sort(Comparator.comparingInt(Value::order));
    SlapdDatabase database = null;
    for (Value value : values) {
      if (value.attribute().equals("olcdatabase")) {
        database = configuration.begin(value.text(), value.source());
      }
    }
    if (database != null) {
      for (Value value : values) {
        add(database, value);
      }
    }
  }

  private static Value value(String file, LdifRecord record, int index) {
    String attribute =
        new String(
            record.nameBytes(index), record.nameStart(index), record.nameLength(index), UTF_8);
    String text =
        new String(
            record.valueBytes(index), record.valueStart(index), record.valueLength(index), UTF_8);
    Source source = new Source(file, (int) record.line(index), 1);
    Matcher ordered = ORDER.matcher(text);
    boolean isOrdered = ordered.matches();
    return new Value(
        isOrdered ? Integer.parseInt(ordered.group(1)) : 0,
        isOrdered ? ordered.group(2) : text,
        source,
        attribute.toLowerCase(Locale.ROOT));
  }

  private void add(SlapdDatabase database, Value value) throws InvalidSlapdFileException {
    String text = value.text();
    switch (value.attribute()) {
      case "olcsuffix" -> database.addSuffix(text);
      case "olcaccess" ->
          configuration.add(database.access(), directive(value, "olcAccess: " + text));
      case "olclimits" ->
          configuration.add(database.limits(), directive(value, "olcLimits: " + text));
      default -> {
        // Not about access.
      }
    }
  }

  private static SlapdDirective directive(Value value, String line) {
    return new SlapdDirective(
        value.source(), List.of(), line.lines().toList(), SlapdWords.of(value.text()));
  }
}
