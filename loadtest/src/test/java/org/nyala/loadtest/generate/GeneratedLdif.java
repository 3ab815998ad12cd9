package org.nyala.loadtest.generate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.nyala.core.ldif.LdifChunk;
import org.nyala.core.ldif.LdifChunkReader;
import org.nyala.core.ldif.LdifLimits;
import org.nyala.core.ldif.LdifParser;
import org.nyala.core.ldif.LdifRecord;

/**
 * The entries that a template makes, read by the parser of imports. Immutable.
 *
 * @param text the whole file
 * @param entries the attributes of each entry by their names in lower case, in the order of the
 *     file
 */
record GeneratedLdif(String text, Map<String, Map<String, List<String>>> entries) {
  static DirectoryTemplate template(String... lines) throws IOException {
    return TemplateReader.read("t", List.of(lines), Path.of("."), Map.of(), 0);
  }

  static GeneratedLdif of(String... lines) throws IOException {
    return of(template(lines), 0);
  }

  static GeneratedLdif of(DirectoryTemplate directory, long seed) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (LdifOutput writer = new LdifOutput(bytes)) {
      new Generation(directory, seed).write(writer);
    }
    GeneratedLdif made = new GeneratedLdif(bytes.toString(UTF_8), read(bytes.toByteArray()));
    assertThat(made.entries).hasSize((int) directory.entries());
    return made;
  }

  private static Map<String, Map<String, List<String>>> read(byte[] ldif) throws IOException {
    Map<String, Map<String, List<String>>> entries = new LinkedHashMap<>();
    LdifChunk chunk = new LdifChunk(1 << 16);
    LdifParser parser = new LdifParser(LdifLimits.DEFAULT, Path.of("."));
    LdifRecord record = new LdifRecord();
    try (LdifChunkReader chunks =
        new LdifChunkReader(new ByteArrayInputStream(ldif), LdifLimits.DEFAULT)) {
      while (chunks.next(chunk)) {
        parser.start(chunk);
        while (parser.next(record)) {
          assertThat(record.error()).as("line %d", record.errorLine()).isNull();
          String dn = new String(record.dnBytes(), UTF_8);
          assertThat(entries.put(dn, attributes(record))).as("twice: %s", dn).isNull();
        }
      }
    }
    return entries;
  }

  private static Map<String, List<String>> attributes(LdifRecord record) {
    Map<String, List<String>> attributes = new LinkedHashMap<>();
    for (int i = 0; i < record.size(); i++) {
      String name =
          new String(record.nameBytes(i), record.nameStart(i), record.nameLength(i), UTF_8);
      String value =
          new String(record.valueBytes(i), record.valueStart(i), record.valueLength(i), UTF_8);
      attributes.computeIfAbsent(name.toLowerCase(Locale.ROOT), _ -> new ArrayList<>()).add(value);
    }
    return attributes;
  }

  List<String> names() {
    return List.copyOf(entries.keySet());
  }

  /** The values of an attribute of all entries that have it. */
  List<String> values(String attribute) {
    List<String> all = new ArrayList<>();
    entries.values().forEach(entry -> all.addAll(entry.getOrDefault(attribute, List.of())));
    return all;
  }
}
