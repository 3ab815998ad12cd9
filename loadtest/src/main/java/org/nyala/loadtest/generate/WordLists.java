package org.nyala.loadtest.generate;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The lists of words that templates name: files beside the template, or built-in lists. Confined to
 * one thread.
 */
final class WordLists {
  /** The names of the built-in lists, as those of other tools. */
  static final Set<String> BUILT_IN =
      Set.of("first.names", "last.names", "cities", "states", "streets");

  private final @Nullable Path folder;
  private final Map<String, byte[][]> known = new HashMap<>();

  /**
   * Begins.
   *
   * @param folder the folder of the template; null if it has none
   */
  WordLists(@Nullable Path folder) {
    this.folder = folder;
  }

  /** The lines of a list that are not blank. */
  byte[][] lines(Place place, String name) throws IOException {
    byte[][] cached = known.get(name);
    if (cached == null) {
      cached = read(place, name);
      known.put(name, cached);
    }
    return cached;
  }

  private byte[][] read(Place place, String name) throws IOException {
    try {
      Path file = folder == null ? null : folder.resolve(name);
      if (file != null && Files.isRegularFile(file)) {
        try (Stream<String> lines = Files.lines(file)) {
          return kept(place, name, lines);
        } catch (java.io.UncheckedIOException e) {
          if (e.getCause() instanceof CharacterCodingException) {
            throw place.problem("the file " + name + " must be text in UTF-8");
          }
          throw e.getCause();
        }
      }
    } catch (InvalidPathException _) {
      throw place.refused("the name of a file", "'" + name + "'");
    }
    InputStream resource =
        BUILT_IN.contains(name) ? WordLists.class.getResourceAsStream(name) : null;
    if (resource == null) {
      throw place.problem(
          "there is no file "
              + name
              + (folder == null ? "" : " in the folder of the template, " + folder)
              + ", and no built-in list of this name");
    }
    try (resource) {
      return kept(place, name, new String(resource.readAllBytes(), UTF_8).lines());
    }
  }

  private static byte[][] kept(Place place, String name, Stream<String> lines) {
    byte[][] words =
        lines
            .filter(line -> !line.isBlank())
            .map(line -> line.getBytes(UTF_8))
            .toArray(byte[][]::new);
    place.require(words.length > 0, "a file with lines", "the empty file " + name);
    return words;
  }
}
