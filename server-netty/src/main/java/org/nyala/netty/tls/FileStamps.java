package org.nyala.netty.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The states of files that tell whether they have changed: identity, size and time of each, behind
 * all links, by which several systems replace certificates.
 *
 * <p>Immutable.
 *
 * @param states the state of each file
 */
record FileStamps(List<String> states) {
  FileStamps {
    states = List.copyOf(states);
  }

  /** Reads the states of the files of settings. */
  static FileStamps of(TlsSettings settings) {
    List<String> states = new ArrayList<>();
    for (TlsSettings.Files files : settings.certificates()) {
      states.add(state(files.certificate()));
      if (files.key() != null) {
        states.add(state(files.key()));
      }
    }
    add(states, settings.clients().authorities());
    add(states, settings.clients().lists());
    return new FileStamps(states);
  }

  private static void add(List<String> states, @Nullable Path place) {
    if (place != null) {
      try {
        for (Path file : TrustFiles.of(place)) {
          states.add(file + " " + state(file));
        }
      } catch (IOException e) {
        states.add(e.toString());
      }
    }
  }

  private static String state(Path file) {
    try {
      BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
      return now.fileKey() + " " + now.size() + " " + now.lastModifiedTime();
    } catch (IOException e) {
      return e.toString();
    }
  }
}
