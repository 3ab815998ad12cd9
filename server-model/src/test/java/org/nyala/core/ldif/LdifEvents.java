package org.nyala.core.ldif;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Records the results of a reader: one line for each DN, attribute and error. */
final class LdifEvents {
  static final Path HERE = Path.of("").toAbsolutePath();

  private LdifEvents() {}

  static List<String> events(InputStream input, LdifLimits limits) throws IOException {
    List<String> events = new ArrayList<>();
    LdifRecord record = new LdifRecord();
    try (LdifReader reader = new LdifReader(input, HERE, limits)) {
      while (reader.next(record)) {
        if (record.error() != null) {
          events.add("error " + record.errorLine() + ": " + record.error());
          continue;
        }
        events.add(record.line() + " dn=" + text(record.dnBytes(), 0, record.dnBytes().length));
        for (int i = 0; i < record.size(); i++) {
          String name = text(record.nameBytes(i), record.nameStart(i), record.nameLength(i));
          String value = text(record.valueBytes(i), record.valueStart(i), record.valueLength(i));
          events.add(record.line(i) + " " + name + "=" + value);
        }
      }
    }
    return events;
  }

  static List<String> events(String ldif) throws IOException {
    return events(stream(ldif), LdifLimits.DEFAULT);
  }

  static String text(byte[] bytes, int start, int length) {
    return new String(bytes, start, length, StandardCharsets.UTF_8);
  }

  static InputStream stream(String ldif) {
    return new ByteArrayInputStream(ldif.getBytes(StandardCharsets.UTF_8));
  }
}
