package org.nyala.core.schema;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.nyala.core.bytes.ByteAppender;

/**
 * A cache of class sets, by the list of values as written. Bounded: sets beyond the bound are
 * computed each time.
 *
 * <p>Thread-safe.
 */
final class ClassSets {
  private static final int MAXIMUM_ENTRIES = 4096;

  private final Map<String, ClassSet> known = new ConcurrentHashMap<>();
  private final Schema schema;

  ClassSets(Schema schema) {
    this.schema = schema;
  }

  ClassSet find(List<byte[]> values) {
    String key = key(values);
    ClassSet classSet = known.get(key);
    if (classSet == null) {
      classSet = ClassSet.of(schema, names(values));
      if (known.size() < MAXIMUM_ENTRIES) {
        known.put(key, classSet);
      }
    }
    return classSet;
  }

  private static String key(List<byte[]> values) {
    ByteAppender joined = new ByteAppender(128);
    for (byte[] value : values) {
      joined.append(value).append('\n');
    }
    return new String(joined.array(), 0, joined.length(), StandardCharsets.ISO_8859_1);
  }

  private static List<String> names(List<byte[]> values) {
    List<String> names = new ArrayList<>(values.size());
    for (byte[] value : values) {
      names.add(new String(value, StandardCharsets.UTF_8));
    }
    return names;
  }
}
