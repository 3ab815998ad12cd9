package org.nyala.tarball;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The places within a document that a link can lead to. */
final class Anchors {
  private static final Pattern ID = Pattern.compile("\\bid=\"([^\"]+)\"");

  private static final Pattern HEADING = Pattern.compile("(?m)^#+ +(.*)$");

  /** The characters that sites drop when they make the anchor of a Markdown heading. */
  private static final Pattern LEFT_OUT = Pattern.compile("[^\\p{L}\\p{N} _-]");

  /** The places of documents that were read: some pages have hundreds of links to each other. */
  private static final Map<Path, Set<String>> KNOWN = new ConcurrentHashMap<>();

  private Anchors() {}

  /**
   * Asserts that the target of a link exists.
   *
   * @param from the document with the link
   * @param file its file, relative to that document; empty for the document itself
   * @param anchor the anchor in it, empty for the whole
   * @return the file or folder of the target
   */
  static Path follow(Path from, String file, String anchor) throws IOException {
    Path target = file.isEmpty() ? from : from.resolveSibling(file).normalize();
    assertThat(target).as("linked from %s", from).exists();
    if (!anchor.isEmpty()) {
      Set<String> places = KNOWN.get(target);
      if (places == null) {
        places = of(target).collect(Collectors.toSet());
        KNOWN.put(target, places);
      }
      assertThat(places).as("places in %s, linked from %s", target, from).contains(anchor);
    }
    return target;
  }

  private static Stream<String> of(Path document) throws IOException {
    String text = Files.readString(document);
    return document.toString().endsWith(".md")
        ? HEADING.matcher(text).results().map(heading -> anchor(heading.group(1)))
        : ID.matcher(text).results().map(id -> id.group(1));
  }

  private static String anchor(String heading) {
    return LEFT_OUT
        .matcher(heading.strip().toLowerCase(Locale.ROOT))
        .replaceAll("")
        .replace(' ', '-');
  }
}
