package org.nyala.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * A file for Compose, as the engine reads it: keys that are merged in ({@code <<}) count below
 * those beside them. Immutable.
 *
 * @param all its top-level keys
 */
record ComposeFile(Map<String, Object> all) {
  static ComposeFile read(Path file) {
    try {
      return new ComposeFile(map(document(Files.readString(file))));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the one document of a text, merged. */
  static Object document(String yaml) {
    return merged(new Load(LoadSettings.builder().build()).loadFromString(yaml));
  }

  private static Object merged(Object value) {
    if (value instanceof List<?> list) {
      return list.stream().map(ComposeFile::merged).toList();
    }
    if (!(value instanceof Map<?, ?> map)) {
      return value;
    }
    Map<String, Object> result = new LinkedHashMap<>();
    if (map.get("<<") instanceof Map<?, ?> below) {
      result.putAll(map(merged(below)));
    }
    map.forEach(
        (key, each) -> {
          if (!key.equals("<<")) {
            result.put(key.toString(), merged(each));
          }
        });
    return result;
  }

  /** Returns a value that must be a map. */
  static Map<String, Object> map(Object value) {
    assertThat(value).isInstanceOf(Map.class);
    Map<String, Object> copy = new LinkedHashMap<>();
    ((Map<?, ?>) value).forEach((key, each) -> copy.put(key.toString(), each));
    return copy;
  }

  /** Returns a value that must be a list. */
  static List<Object> list(Object value) {
    assertThat(value).isInstanceOf(List.class);
    return new ArrayList<>((List<?>) value);
  }

  Map<String, Object> services() {
    return map(all.get("services"));
  }
}
